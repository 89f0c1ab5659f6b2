import { createExamples } from './example.ts'

const name = 'Ada Lovelace'

export const text = createExamples(
  'text',
  ['append: text', 'Appends text.', ["{{ data | append: '!' }}", name, 'Ada Lovelace!']],
  [
    'capitalize',
    'Makes the first letter upper case and the rest lower case.',
    ['{{ data | capitalize }}', 'aDA', 'Ada'],
  ],
  ['downcase', 'Makes the text lower case.', ['{{ data | downcase }}', name, 'ada lovelace']],
  ['escape', 'Escapes the special characters of HTML.', ['{{ data | escape }}', 'a<b&c', 'a&lt;b&amp;c']],
  [
    'escape_once',
    'The same as escape, but leaves existing entities alone.',
    ['{{ data | escape_once }}', '1 &lt; 2 & 3', '1 &lt; 2 &amp; 3'],
  ],
  ['h', 'The same as escape.', ['{{ data | h }}', '"a"', '&quot;a&quot;']],
  ['lstrip', 'Removes whitespace at the start.', ['{{ data | lstrip }}', '  a ', 'a ']],
  [
    'newline_to_br',
    'Adds an HTML line break at the end of each line.',
    ['{{ data | newline_to_br }}', 'a\nb', 'a<br />\nb'],
  ],
  [
    'pad_left: width, char',
    'Pads the start to a width of at most 1,000 characters.',
    ["{{ data | pad_left: 6, '0' }}", '1234', '001234'],
    ["{{ data | pad_left: 2, '0' }}", '1234', '1234'],
  ],
  [
    'pad_right: width, char',
    'Pads the end to a width of at most 1,000 characters.',
    ["{{ data | pad_right: 6, 'X' }}", '1234', '1234XX'],
  ],
  ['prepend: text', 'Prepends text.', ["{{ data | prepend: 'Dr. ' }}", name, 'Dr. Ada Lovelace']],
  [
    'remove: text',
    'Removes every occurrence of a substring.',
    ["{{ data | remove: '-' }}", '123-45-6789', '123456789'],
  ],
  [
    'remove_first: text',
    'Removes the first occurrence of a substring.',
    ["{{ data | remove_first: '-' }}", '123-45-6789', '12345-6789'],
  ],
  [
    'remove_last: text',
    'Removes the last occurrence of a substring.',
    ["{{ data | remove_last: '-' }}", '123-45-6789', '123-456789'],
  ],
  [
    'replace: text, by',
    'Replaces every occurrence of a substring.',
    ["{{ data | replace: '-', '.' }}", '123-45-6789', '123.45.6789'],
  ],
  [
    'replace_first: text, by',
    'Replaces the first occurrence of a substring.',
    ["{{ data | replace_first: '-', '.' }}", '123-45-6789', '123.45-6789'],
  ],
  [
    'replace_last: text, by',
    'Replaces the last occurrence of a substring.',
    ["{{ data | replace_last: '-', '.' }}", '123-45-6789', '123-45.6789'],
  ],
  ['rstrip', 'Removes whitespace at the end.', ['{{ data | rstrip }}', ' a  ', ' a']],
  [
    'slice: start, length=1',
    'A part of a string or list; a negative start counts from the end.',
    ['{{ data | slice: 0, 3 }}', name, 'Ada'],
    ['{{ data | slice: -4, 4 }}', '4242424242421234', '1234'],
  ],
  [
    'split: separator',
    'Splits a string into a list.',
    ["{{ data | split: ' ' }}", name, ['Ada', 'Lovelace']],
  ],
  [
    'squish',
    'Removes whitespace at both ends and replaces each run of whitespace with one space.',
    ['{{ data | squish }}', '  a \n b ', 'a b'],
  ],
  ['strip', 'Removes whitespace at both ends.', ['{{ data | strip }}', '  a ', 'a']],
  ['strip_html', 'Removes HTML tags.', ['{{ data | strip_html }}', '<b>a</b>', 'a']],
  ['strip_newlines', 'Removes line breaks.', ['{{ data | strip_newlines }}', 'a\nb', 'ab']],
  [
    "truncate: length=50, end='...'",
    'Shortens text to a length that includes the end.',
    ['{{ data | truncate: 6 }}', name, 'Ada...'],
  ],
  [
    "truncatewords: words=15, end='...'",
    'Shortens text to the given number of words.',
    ["{{ data | truncatewords: 1, '' }}", name, 'Ada'],
  ],
  [
    'upcase',
    'Makes the text upper case.',
    ["{{ data | split: ' ' | last | upcase }}", name, 'LOVELACE'],
    ['{{ data | upcase }}', name, 'ADA LOVELACE'],
  ],
  ['url_decode', 'Decodes percent encoding and plus signs.', ['{{ data | url_decode }}', 'a%26b+c', 'a&b c']],
  ['url_encode', 'Encodes text for a URL.', ['{{ data | url_encode }}', 'a&b c', 'a%26b+c']],
)
