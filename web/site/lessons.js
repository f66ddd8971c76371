// The lessons: which one is open, which step, and whether what was asked has been done.

import { LESSONS } from './lesson_texts.js';
import { byId, escape } from './paint.js';
import { START } from './state.js';

let lesson = null, step = 0, solved = false, page = null, setState = null;

/** `change` changes the state of the page. */
export function openLessons(of, change) {
  [page, setState] = [of, change];
  const dialog = byId('lessons');
  dialog.innerHTML = `<button class="close" type="button" autofocus>Close</button><h2 id="lessons-title">Three lessons</h2><p>About ten minutes each. The page is the blackboard: everything can be dragged and typed at any time.</p><div class="cards">${
    LESSONS.map((l, k) => `<button type="button" data-lesson="${k}"><b>${k + 1}. ${escape(l.title)}</b>${escape(l.about)}</button>`).join('')}</div>`;
  dialog.querySelector('.close').addEventListener('click', () => dialog.close());
  for (const card of dialog.querySelectorAll('[data-lesson]'))
    card.addEventListener('click', () => {
      dialog.close();
      lesson = LESSONS[Number(card.dataset.lesson)];
      go(0);
    });
  dialog.showModal();
}

function go(to) {
  step = to;
  solved = false;
  const at = lesson.steps[step];
  draw();
  if (at.state) setState({ ...START, log: page.state.log, ...at.state });
  byId('lesson').scrollIntoView({ block: 'nearest' });
  byId('lesson').querySelector('h2 span').focus();
}

function close() {
  lesson = null;
  byId('lesson').hidden = true;
  byId('formula').focus();
}

function draw() {
  const box = byId('lesson'), at = lesson.steps[step], last = step === lesson.steps.length - 1;
  box.hidden = false;
  // The right choice is the first in the text; where it stands depends on the step, so that it is not always the first.
  const order = at.choices?.map((text, k) => [text, (k + step + 1) % at.choices.length]).sort((a, b) => a[1] - b[1]).map(([text]) => text);
  box.innerHTML = `<h2><span tabindex="-1">${escape(lesson.title)}</span><progress value="${step + 1}" max="${lesson.steps.length}" aria-label="Step"></progress><small>${step + 1} of ${lesson.steps.length}</small><button type="button" class="link end">Leave</button></h2>${at.text}<p><b>${escape(at.ask)}</b></p><div class="task">${
    order ? order.map(text => `<button type="button" class="choice">${escape(text)}</button>`).join('') : ''}<span class="answer" role="status"></span>${step ? '<button type="button" class="back">Back</button>' : ''}<button type="button" class="next" disabled>${last ? 'Finish' : 'Next'}</button></div>`;
  for (const button of box.querySelectorAll('.choice'))
    button.addEventListener('click', () => (button.textContent === at.choices[0] ? solve('Right.') : say('Not quite: look again.')));
  box.querySelector('.end').addEventListener('click', close);
  box.querySelector('.back')?.addEventListener('click', () => go(step - 1));
  box.querySelector('.next').addEventListener('click', () => (last ? close() : go(step + 1)));
}

function say(text) {
  byId('lesson').querySelector('.answer').textContent = text;
}

function solve(text) {
  if (solved) return;
  solved = true;
  say(text);
  byId('lesson').querySelector('.next').disabled = false;
}

/** Called with every new picture. */
export function lessonSees(now) {
  const at = lesson?.steps[step];
  if (at?.done && !solved && at.done(now)) solve('That is it.');
}
