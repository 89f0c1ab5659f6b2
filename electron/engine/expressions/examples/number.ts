import { createExamples } from './example.ts'

export const number = createExamples(
  'number',
  ['abs', 'The absolute value.', ['{{ data | abs }}', -5, 5]],
  ['at_least: least', 'The number, but at least `least`.', ['{{ data | at_least: 5 }}', 4, 5]],
  ['at_most: most', 'The number, but at most `most`.', ['{{ data | at_most: 5 }}', 9, 5]],
  ['ceil', 'Rounds up.', ['{{ data | ceil }}', 1.2, 2]],
  [
    'divided_by: divisor',
    'Divides. Two integers give an integer, rounded down; a decimal point in either number gives decimals. Many JSON libraries write 10.0 as 10, so write the divisor as 4.0, or multiply by 1.0 first.',
    ['{{ data | divided_by: 4 }}', 10, 2],
    ['{{ data | divided_by: 4.0 }}', 10, 2.5],
    ['{{ data | times: 1.0 | divided_by: 100 }}', 1050, 10.5],
  ],
  ['floor', 'Rounds down.', ['{{ data | floor }}', 1.8, 1]],
  ['minus: number', 'The difference.', ['{{ data | minus: 3 }}', 10, 7]],
  [
    'modulo: divisor',
    'The remainder, with the sign of the divisor.',
    ['{{ data | modulo: 3 }}', 10, 1],
    ['{{ data | modulo: 3 }}', -10, 2],
  ],
  [
    'plus: number',
    'The sum. Text counts as the number it starts with. Decimals are exact.',
    ['{{ data | plus: 3 }}', '10', 13],
    ['{{ data | plus: 0.2 }}', 0.1, 0.3],
  ],
  [
    'round: places=0',
    'Rounds to the given number of decimal places, halves away from zero.',
    ['{{ data | round: 2 }}', 1.005, 1.01],
    ['{{ data | round }}', -2.5, -3],
  ],
  ['times: number', 'The product.', ['{{ data | times: 3 }}', 10, 30]],
)
