import { createExamples } from './example.ts'

const dashed = '3622-7206-2716-5567'

export const aliasing = createExamples(
  'aliasing',
  [
    "alias_card: bin='false', last4='false'",
    'Replaces the digits of a card number with random ones. Keeps its format and, if requested, its BIN and last four digits. The alias never passes the Luhn check, so it cannot be a real card number.',
    ['{{ data | alias_card }}', dashed, 'random', '^\\d{4}-\\d{4}-\\d{4}-\\d{4}$'],
    ["{{ data | alias_card: 'true', 'true' }}", dashed, 'random', '^3622-7206-\\d{4}-5567$'],
  ],
  [
    'alias_preserve_format: first=0, last=0',
    'Replaces letters with random letters of the same case and digits with random digits. All other characters stay unchanged, and so do the given numbers of characters at the start and end.',
    ['{{ data | alias_preserve_format }}', 'AB-12 c', 'random', '^[A-Z]{2}-\\d{2} [a-z]$'],
    ['{{ data | alias_preserve_format: 3, 2 }}', 'ABC12345', 'random', '^ABC\\d{3}45$'],
  ],
  [
    'alias_preserve_length: first=0, last=0',
    'Replaces every character with a random letter or digit, except the given numbers of characters at the start and end.',
    ['{{ data | alias_preserve_length }}', 'AB-12 c', 'random', '^[A-Za-z0-9]{7}$'],
    ['{{ data | alias_preserve_length: 0, 4 }}', '123-45-6789', 'random', '^[A-Za-z0-9]{7}6789$'],
  ],
)
