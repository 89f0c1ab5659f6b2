import { examplesOf } from './example.ts'

const dashed = '3622-7206-2716-5567'

export const aliasing = [
  ...examplesOf(
    'aliasing',
    "alias_card: bin='false', last4='false'",
    'Random digits in the format of the card number. BIN and last four stay, as asked. The alias never passes the Luhn check, so it can be no real card number.',
    ['{{ data | alias_card }}', dashed, 'random', '^\\d{4}-\\d{4}-\\d{4}-\\d{4}$'],
    ["{{ data | alias_card: 'true', 'true' }}", dashed, 'random', '^3622-7206-\\d{4}-5567$'],
  ),
  ...examplesOf(
    'aliasing',
    'alias_preserve_format: first=0, last=0',
    'Random letters for letters (of the same case) and digits for digits; everything else stays, and so do the first and last characters asked for.',
    ['{{ data | alias_preserve_format }}', 'AB-12 c', 'random', '^[A-Z]{2}-\\d{2} [a-z]$'],
    ['{{ data | alias_preserve_format: 3, 2 }}', 'ABC12345', 'random', '^ABC\\d{3}45$'],
  ),
  ...examplesOf(
    'aliasing',
    'alias_preserve_length: first=0, last=0',
    'A random letter or digit for every character but the first and last ones asked for.',
    ['{{ data | alias_preserve_length }}', 'AB-12 c', 'random', '^[A-Za-z0-9]{7}$'],
    ['{{ data | alias_preserve_length: 0, 4 }}', '123-45-6789', 'random', '^[A-Za-z0-9]{7}6789$'],
  ),
]
