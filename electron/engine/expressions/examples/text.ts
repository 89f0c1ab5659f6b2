import { examplesOf } from './example.ts'

const name = 'Ada Lovelace'

export const text = [
  ...examplesOf('text', 'append: text', 'Adds a text at the end.', [
    "{{ data | append: '!' }}",
    name,
    'Ada Lovelace!',
  ]),
  ...examplesOf('text', 'capitalize', 'The first letter upper case, the rest lower.', [
    '{{ data | capitalize }}',
    'aDA',
    'Ada',
  ]),
  ...examplesOf('text', 'downcase', 'Lower case.', ['{{ data | downcase }}', name, 'ada lovelace']),
  ...examplesOf('text', 'escape', 'Characters that mean something in HTML as entities.', [
    '{{ data | escape }}',
    'a<b&c',
    'a&lt;b&amp;c',
  ]),
  ...examplesOf('text', 'escape_once', 'As escape, leaving entities alone.', [
    '{{ data | escape_once }}',
    '1 &lt; 2 & 3',
    '1 &lt; 2 &amp; 3',
  ]),
  ...examplesOf('text', 'h', 'Another name of escape.', ['{{ data | h }}', '"a"', '&quot;a&quot;']),
  ...examplesOf('text', 'lstrip', 'Without blanks at the start.', ['{{ data | lstrip }}', '  a ', 'a ']),
  ...examplesOf('text', 'newline_to_br', 'An HTML line break at each end of line.', [
    '{{ data | newline_to_br }}',
    'a\nb',
    'a<br />\nb',
  ]),
  ...examplesOf(
    'text',
    'pad_left: width, char',
    'Filled at the start to a width of at most 1,000.',
    ["{{ data | pad_left: 6, '0' }}", '1234', '001234'],
    ["{{ data | pad_left: 2, '0' }}", '1234', '1234'],
  ),
  ...examplesOf('text', 'pad_right: width, char', 'Filled at the end to a width of at most 1,000.', [
    "{{ data | pad_right: 6, 'X' }}",
    '1234',
    '1234XX',
  ]),
  ...examplesOf('text', 'prepend: text', 'Adds a text at the start.', [
    "{{ data | prepend: 'Dr. ' }}",
    name,
    'Dr. Ada Lovelace',
  ]),
  ...examplesOf('text', 'remove: text', 'Without any occurrence of a text.', [
    "{{ data | remove: '-' }}",
    '123-45-6789',
    '123456789',
  ]),
  ...examplesOf('text', 'remove_first: text', 'Without the first occurrence of a text.', [
    "{{ data | remove_first: '-' }}",
    '123-45-6789',
    '12345-6789',
  ]),
  ...examplesOf('text', 'remove_last: text', 'Without the last occurrence of a text.', [
    "{{ data | remove_last: '-' }}",
    '123-45-6789',
    '123-456789',
  ]),
  ...examplesOf('text', 'replace: text, by', 'Every occurrence of a text replaced.', [
    "{{ data | replace: '-', '.' }}",
    '123-45-6789',
    '123.45.6789',
  ]),
  ...examplesOf('text', 'replace_first: text, by', 'The first occurrence of a text replaced.', [
    "{{ data | replace_first: '-', '.' }}",
    '123-45-6789',
    '123.45-6789',
  ]),
  ...examplesOf('text', 'replace_last: text, by', 'The last occurrence of a text replaced.', [
    "{{ data | replace_last: '-', '.' }}",
    '123-45-6789',
    '123-45.6789',
  ]),
  ...examplesOf('text', 'rstrip', 'Without blanks at the end.', ['{{ data | rstrip }}', ' a  ', ' a']),
  ...examplesOf(
    'text',
    'slice: start, length=1',
    'A part of a text or list; a negative start counts from the end.',
    ['{{ data | slice: 0, 3 }}', name, 'Ada'],
    ['{{ data | slice: -4, 4 }}', '4242424242421234', '1234'],
  ),
  ...examplesOf('text', 'split: separator', 'A list of the parts of a text.', [
    "{{ data | split: ' ' }}",
    name,
    ['Ada', 'Lovelace'],
  ]),
  ...examplesOf('text', 'squish', 'Blanks stripped at both ends and reduced to one between.', [
    '{{ data | squish }}',
    '  a \n b ',
    'a b',
  ]),
  ...examplesOf('text', 'strip', 'Without blanks at both ends.', ['{{ data | strip }}', '  a ', 'a']),
  ...examplesOf('text', 'strip_html', 'Without HTML tags.', ['{{ data | strip_html }}', '<b>a</b>', 'a']),
  ...examplesOf('text', 'strip_newlines', 'Without ends of line.', [
    '{{ data | strip_newlines }}',
    'a\nb',
    'ab',
  ]),
  ...examplesOf('text', "truncate: length=50, end='...'", 'Shortened to a length, the end included.', [
    '{{ data | truncate: 6 }}',
    name,
    'Ada...',
  ]),
  ...examplesOf('text', "truncatewords: words=15, end='...'", 'Shortened to so many words.', [
    "{{ data | truncatewords: 1, '' }}",
    name,
    'Ada',
  ]),
  ...examplesOf(
    'text',
    'upcase',
    'Upper case.',
    ["{{ data | split: ' ' | last | upcase }}", name, 'LOVELACE'],
    ['{{ data | upcase }}', name, 'ADA LOVELACE'],
  ),
  ...examplesOf('text', 'url_decode', 'Percent signs and plus decoded.', [
    '{{ data | url_decode }}',
    'a%26b+c',
    'a&b c',
  ]),
  ...examplesOf('text', 'url_encode', 'Encoded for an address.', [
    '{{ data | url_encode }}',
    'a&b c',
    'a%26b+c',
  ]),
]
