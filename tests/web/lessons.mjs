// Lessons from start to end. Every question is answered wrongly, with each wrong choice or a wrong deed, and then rightly; what lessons
// say of numbers is compared with the library.
import { audit, check, engine, open } from './harness.mjs';

// What is right is written here once more: the first words of a choice, or what to do. `not` is a deed that must not count.
const ANSWERS = [
  [
    { choice: '2 and 3' },
    { not: { slide: ['#factor', 1000] }, do: { slide: ['#factor', 0] } },
    { not: { slide: ['#factor', 400] }, do: { slide: ['#factor', 900] } },
    { not: { slide: ['#length', 100] }, do: { slide: ['#length', 700] } },
    { choice: 'e⁻⁸' },
  ],
  [
    { choice: 'no: the c came' },
    { not: { fill: ['#string', 'cbaacc'] }, do: { fill: ['#string', 'cbaaaa'] } },
    { not: { slide: ['#length', 250] }, do: { slide: ['#length', 400] } },
    { choice: 'no: equal' },
    { not: { select: ['#method', 'positions'] }, do: { select: ['#method', 'digits'] } },
  ],
  [
    { choice: '3/7' },
    { choice: '3, the count' },
    { not: { fill: ['#scale', '8*N*N*N'], slide: ['#length', 300] }, do: { fill: ['#scale', '8*N'], slide: ['#length', 500] } },
    { choice: '637' },
    { choice: 'PARITY' },
  ],
];

async function act(page, { fill, select, slide }) {
  if (fill) await page.fill(...fill);
  if (select) await page.selectOption(...select);
  if (slide)
    await page.evaluate(([id, value]) => {
      const slider = document.querySelector(id);
      slider.value = value;
      slider.dispatchEvent(new Event('input'));
    }, slide);
}

const drawn = page => page.evaluate(() => Number(document.documentElement.dataset.drawn));

async function step(page, name, { choice, not, do: deed }) {
  const next = page.locator('#lesson .next');
  check(await next.isDisabled(), `${name}: waits for an answer`);
  if (choice) {
    const wrong = page.locator('#lesson .choice').filter({ hasNotText: choice });
    check(await wrong.count() === 2, `${name}: three choices`);
    for (let k = 0; k < await wrong.count(); k++) {
      await wrong.nth(k).click();
      check(/Not quite/.test(await page.textContent('#lesson .answer')) && await next.isDisabled(), `${name}: a wrong choice is not taken`);
    }
    await page.locator('#lesson .choice', { hasText: choice }).click();
    check(/Right/.test(await page.textContent('#lesson .answer')), `${name}: the right choice is`);
  } else {
    const before = await drawn(page);
    await act(page, not);
    await page.waitForFunction(n => Number(document.documentElement.dataset.drawn) > n, before);
    await page.waitForTimeout(150);
    check(await next.isDisabled(), `${name}: another deed does not count`);
    await act(page, deed);
  }
  await page.waitForFunction(() => !document.querySelector('#lesson .next').disabled);
}

/** What the lessons say, by the library. */
async function facts() {
  const library = await engine();
  const row = (formula, string, layer, i, options) => {
    const spec = library.spec(formula, { alphabet: 'abc' }), model = spec.build(), letters = model.encode(string);
    const run = model.run(letters, { capture: true, unchecked: true, ...options }), { size } = run.about();
    return { weights: [...run.head(layer, 1).slice(i * size, (i + 1) * size)], output: run.row(layer, 1, i).output[0] };
  };
  const chosen = ({ weights }) => weights.flatMap((w, j) => (w > 0 ? [j] : [])).join();
  check(chosen(row('O a', 'caab', 1, 4, { hard: true })) === '2,3', 'lesson 1: row 4 has outlines at 2 and 3');
  check(chosen(row('a S b', 'cbaaca', 1, 6, { hard: true })) === '5', 'lesson 2: the head looks at key 5');
  check(Math.abs(row('#[a] % 2 = 1', 'abaacb', 1, 6).output - 3 / 7) < 1e-15, 'lesson 3: the output is 3/7');
  check(chosen(row('#[a] % 2 = 1', 'abaacb', 2, 6, { hard: true })) === '3', 'lesson 3: row 6 looks at key 3');
  check(library.spec('#[a] % 2 = 1', { alphabet: 'abc' }).build().proof('f32').length === 637, 'lesson 3: 637 letters are proved in f32');
}

export async function lessons() {
  await facts();
  for (const [k, steps] of ANSWERS.entries())
    await open(`lesson-${k + 1}`, '', {}, async (page, see) => {
      await see.picture();
      await page.click('#lessons-open');
      await page.click(`[data-lesson="${k}"]`);
      for (const [s, answer] of steps.entries()) {
        await see.until('#lesson small', `^${s + 1} of ${steps.length}$`);
        await page.waitForTimeout(300);
        if (s === 0) await audit(page, `lesson ${k + 1}`);
        await page.screenshot({ path: see.picturePath(`lesson-${k + 1}-${s + 1}`) });
        await step(page, `lesson ${k + 1}, step ${s + 1}`, answer);
        if (s === 1) {
          await page.click('#lesson .back');
          await see.until('#lesson small', '^1 of');
          await page.locator('#lesson .choice', { hasText: steps[0].choice }).click();
          await page.click('#lesson .next');
          await page.waitForTimeout(300);
          await step(page, `lesson ${k + 1}, step 2 again`, answer);
        }
        await page.click('#lesson .next');
      }
      check(await page.locator('#lesson').isHidden(), `lesson ${k + 1} ends`);
    });
}
