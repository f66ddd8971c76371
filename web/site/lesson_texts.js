// Three lessons. A step sets a state, explains, and ends with something to do (`done` looks at the page) or a question (`choices`,
// the right one first here and shuffled on the page by a fixed order).

export const LESSONS = [
  {
    title: 'How softmax imitates max',
    about: 'A head that looks for an a, too soft, then hard enough; what rounding forgives; why N is in the scale.',
    steps: [
      {
        state: { f: 'O a', w: 'caab', n: 4, i: 4 },
        text: `<p>The formula <code>O a</code> reads <dfn>once a</dfn>: at some position up to here there was an a. The transformer needs one <dfn>head</dfn> for it. A head compares a <em>query</em> with the <em>key</em> of every position; each key gets a score, here 1 on an a and 0 elsewhere. <dfn>^</dfn> is the start sentinel: a position before the first letter, so that a head always has something to look at.</p><p>A hard head would look only at the keys with the largest score: the outlined cells. Softmax gives every key a weight, exp(scale × score) divided by the sum.</p>`,
        ask: 'Row 4 belongs to the letter b. Which keys have an outline there?', choices: ['2 and 3, the two a', 'only 3, the last a', 'all five'],
      },
      {
        text: `<p>The <dfn>scale</dfn> multiplies the scores before exp; one divided by it is the temperature. A small scale makes the head soft: weight leaks to keys that the hard head ignores.</p>`,
        ask: 'Drag the scale to the left until the verdict is wrong somewhere, or the error is above ¼.', done: page => page.picture.wrong > 0 || page.picture.errors[0] > 0.25,
      },
      {
        text: `<p>Nothing went wrong at once. The output of the head stands for true or false, so it should be 1 or 0. Two units of the feed-forward net <dfn>round</dfn> it: exactly 0 below ¼, exactly 1 above ¾. The leak does no harm as long as it stays below a quarter.</p>`,
        ask: 'Now make the leak so small that the row in full shows a weight below 10⁻⁷ for the key ^.', done: page => page.picture.row && page.picture.row.weights[0] < 1e-7 && page.picture.row.i === 4,
      },
      {
        state: { f: 'O a', w: 'ab', n: 2, i: 2, by: 'l', s: '4' },
        text: `<p>One a, and then b for ever. The scale is fixed at 4: the a has e⁴ ≈ 55 times the weight of each b.</p>`,
        ask: 'Drag the length until the transformer is wrong. (It forgets the a when there are too many b.)', done: page => page.picture.wrong > 0,
      },
      {
        text: `<p>Fifty-five b together weigh as much as the a. Each doubling of the length needs ln 2 more scale. <dfn>N</dfn> is the number of positions, ^ included: with the scale ln N + 8, the b together have at most e⁻⁸ of the weight, whatever the length.</p>`,
        ask: 'Clear the field "or a scale", and see that the error no longer grows with the length. What is the largest share that can leak with ln N + 8?', choices: ['e⁻⁸ ≈ 0.00034', '¼', '8 / N'],
      },
    ],
  },
  {
    title: 'Why since needs positions, and where bf16 loses them',
    about: 'The nearest of many: a tie that positions break, and a number format that cannot tell neighbours apart.',
    steps: [
      {
        state: { f: 'a S b', w: 'cbaaca', n: 6, i: 6 },
        text: `<p><code>a S b</code> reads <dfn>a since b</dfn>: there was a b, and only a after the last one. The transformer looks for the <dfn>nearest</dfn> position behind which something is decided: a b (then it is true), or a letter that is not a (then it is false). A head that averages over all of them would mix old and new. It must take the last one.</p>`,
        ask: 'At position 6 the head looks at key 5, a c. Is a S b true at 6?', choices: ['no: the c came after the b', 'yes: there was a b', 'it depends on the letter at 1'],
      },
      {
        text: `<p>So the score is not enough: b and c score the same, and the last of them must win. The key gets its <dfn>position</dfn> as well, i/N, a number that grows by 1/N from one position to the next. Two neighbours differ by 1/N, so the scale must grow like N to tell them apart: 8·N.</p>`,
        ask: 'Click a letter of the string to change it, so that the transformer accepts.', done: page => page.picture.accept && page.state.f === 'a S b',
      },
      {
        state: { f: 'a S b', w: 'bcac', n: 40, i: 4, type: 'bf16/f32' },
        text: `<p>Now numbers are stored in <dfn>bf16</dfn>, the format of many large models: 8 bits of precision. From 1 up to 2 there are 128 numbers. Positions j/N beside a score of 1 have to share them.</p>`,
        ask: 'Drag the length up to the first wrong answer.', done: page => page.picture.wrong > 0 && page.state.type === 'bf16/f32',
      },
      {
        text: `<p>Two neighbouring positions have become one number: no scale can separate them again. It is not the softmax that is too soft.</p>`,
        ask: 'Does a larger scale help? Drag it to 10× and look.', choices: ['no: equal numbers stay equal', 'yes: everything gets harder', 'only for even lengths'],
      },
      {
        text: `<p>The method of <dfn>digits</dfn> writes a position in several channels, a digit in each, with numbers that bf16 holds exactly. The head then compares digits, the most important first.</p>`,
        ask: 'Choose the method "digits" below the slider of the length. The string is right again.', done: page => page.state.m === 'digits' && page.picture.wrong === 0,
      },
    ],
  },
  {
    title: 'Why PARITY is hard',
    about: 'One letter changes everything: a count of all letters, a look-up, and logits that grow with the square.',
    steps: [
      {
        state: { f: '#[a] % 2 = 1', w: 'abaacb', n: 6, i: 6, h: 0 },
        text: `<p>PARITY asks whether the number of a is odd. <code>#[a]</code> counts the a up to here, <code>% 2</code> is the remainder. Changing any one letter changes the answer, so the transformer may not overlook a single one, however long the string is.</p><p>The first head averages: every key has the same weight, and the output is the count divided by the number of positions.</p>`,
        ask: 'Look at head 1.1, row 6. What is its output?', choices: ['3/7: three a among seven positions with ^', '1: the count is odd', '3: the count'],
      },
      {
        state: { f: '#[a] % 2 = 1', w: 'abaacb', n: 6, i: 6, h: 1 },
        text: `<p>The second head is a <dfn>look-up</dfn>: it goes to the position whose number is the count, and reads there, from the position alone, whether that number is odd. Position 3 is odd, so the answer is true. The score falls with the square of the distance, and the right position must win over its two neighbours.</p>`,
        ask: 'In the map of head 2.1, which key does row 6 choose?', choices: ['3, the count of a', '6, itself', '0, the sentinel'],
      },
      {
        text: `<p>The average is a number between 0 and 1, and one a more changes it by only 1/N. The difference of two scores is about 1/N³ in these units, so the scale has to grow like N³: the <dfn>logits</dfn>, what goes into exp, grow with the square of the length. <code>once</code> needs only ln N, <code>since</code> needs N.</p>`,
        ask: 'Set the scale to 8*N, what since needs, and drag the length until PARITY breaks.', done: page => page.state.s.replace(/ /g, '') === '8*N' && page.picture.wrong > 0,
      },
      {
        state: { f: '#[a] % 2 = 1', w: 'abaacb', n: 6, i: 6, h: 1, type: 'f32' },
        text: `<p>Logits that grow with n² use up the digits of a number format quickly. With its own scale the transformer is right in f64 for millions of letters. In f32 there are 24 bits.</p>`,
        ask: 'Up to which length is it proved in f32? The verdict, or the band of the length, says it.', choices: ['637 letters', '2⁴⁰ letters', '6 letters'],
      },
      {
        text: `<p>This is what the theory says of PARITY, seen from the inside: it can be computed, but only with scores whose differences shrink, and so with a scale that grows fast. A transformer that learns has to find such numbers, and a fixed scale can never do.</p>`,
        ask: 'Which of the three needs the largest scale as strings grow?', choices: ['PARITY', 'since', 'once'],
      },
    ],
  },
];
