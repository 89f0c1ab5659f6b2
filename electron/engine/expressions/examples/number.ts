import { examplesOf } from './example.ts'

export const number = [
  ...examplesOf('number', 'abs', 'The absolute value.', ['{{ data | abs }}', -5, 5]),
  ...examplesOf('number', 'at_least: least', 'The number, or least when it is smaller.', [
    '{{ data | at_least: 5 }}',
    4,
    5,
  ]),
  ...examplesOf('number', 'at_most: most', 'The number, or most when it is larger.', [
    '{{ data | at_most: 5 }}',
    9,
    5,
  ]),
  ...examplesOf('number', 'ceil', 'Rounded up.', ['{{ data | ceil }}', 1.2, 2]),
  ...examplesOf(
    'number',
    'divided_by: divisor, whole=false',
    'Divided; with true as second argument, rounded down.',
    ['{{ data | divided_by: 4 }}', 10, 2.5],
    ['{{ data | divided_by: 4, true }}', 10, 2],
  ),
  ...examplesOf('number', 'floor', 'Rounded down.', ['{{ data | floor }}', 1.8, 1]),
  ...examplesOf('number', 'minus: number', 'The difference.', ['{{ data | minus: 3 }}', 10, 7]),
  ...examplesOf('number', 'modulo: divisor', 'The remainder.', ['{{ data | modulo: 3 }}', 10, 1]),
  ...examplesOf('number', 'plus: number', 'The sum.', ['{{ data | plus: 3 }}', '10', 13]),
  ...examplesOf('number', 'round: places=0', 'Rounded to so many places.', [
    '{{ data | round: 2 }}',
    1.005,
    1.01,
  ]),
  ...examplesOf('number', 'times: number', 'The product.', ['{{ data | times: 3 }}', 10, 30]),
]
