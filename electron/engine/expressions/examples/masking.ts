import { createExamples } from './example.ts'

const card = { number: '4242424242424242', expiration_month: 4, expiration_year: 2030, cvc: '123' }
const dashed = '3622-7206-2716-5567'

export const masking = createExamples(
  'masking',
  [
    "reveal_last: n, char='X'",
    'Masks all but the last n characters. Dashes stay unchanged, and spaces are masked. A value of n characters or fewer is unchanged.',
    ['{{ data | reveal_last: 4 }}', '123-45-6789', 'XXX-XX-6789'],
    ["{{ data.number | reveal_last: 4, '#' }}", card, '############4242'],
    ['{{ data | reveal_last: 4 }}', '4242 4242 4242 4242', 'XXXXXXXXXXXXXXX4242'],
    ['{{ data.number, reveal_last: 4 }}', card, 'XXXXXXXXXXXX4242'],
  ],
  [
    "reveal: first=0, last=0, char='X', keep=''",
    'Masks the middle, except for the characters in keep. If first and last cover the whole value, all of it is masked.',
    ["{{ data | reveal: 7, 4, '#', '-' }}", dashed, '3622-72##-####-5567'],
    ['{{ data | reveal: 6 }}', dashed, '3622-7XXXXXXXXXXXXX'],
    ['{{ data | reveal: 10, 9 }}', dashed, 'XXXXXXXXXXXXXXXXXXX'],
    ["{{ data | reveal: last: 4, char: '*' }}", '4242424242424242', '************4242'],
  ],
  [
    'last4',
    'The last four characters, or the whole value if it is shorter.',
    ['{{ data.number | last4 }}', card, '4242'],
    ['{{ data | last4 }}', '67', '67'],
  ],
  [
    "card_mask: bin='false', last4='false', char='X', keep=''",
    'Masks a card number. If requested, its BIN (6 digits if the number has fewer than 16, else 8) and its last four digits stay visible.',
    ["{{ data | card_mask: 'true', 'true', '#', '-' }}", dashed, '3622-7206-####-5567'],
    ["{{ data.number | card_mask: 'false', 'true' }}", card, 'XXXXXXXXXXXX4242'],
    ["{{ data | card_mask: 'true' }}", '378282246310005', '378282XXXXXXXXX'],
    ['{{ data | card_mask }}', card, 'XXXXXXXXXXXXXXXX'],
  ],
  [
    "card_bin: separator=''",
    'The BIN of a card number: 6 digits if the number has fewer than 16, else 8. Without separators.',
    ['{{ data.number | card_bin }}', card, '42424242'],
    ["{{ data | card_bin: '-' }}", dashed, '36227206'],
    ['{{ data | card_bin }}', '378282246310005', '378282'],
  ],
  [
    'card_exp: format',
    'The expiration of a card object as MM, MMYY, YYYY, YYYY-MM, MM/YY, MM/YYYY, MM_YYYY, MM-YYYY or YYYY/MM.',
    ["{{ data | card_exp: 'MM/YY' }}", card, '04/30'],
    ["{{ data | card_exp: 'YYYY-MM' }}", card, '2030-04'],
  ],
)
