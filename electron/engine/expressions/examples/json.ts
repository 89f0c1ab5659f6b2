import { createExamples } from './example.ts'

const order = {
  id: 7,
  items: [
    { sku: 'A-1', price: 5, main: true },
    { sku: 'B-2', price: 20 },
  ],
}

export const json = createExamples(
  'json',
  [
    'json: path',
    'The one value that a JSONPath (RFC 9535) matches in an object, an array, or text that contains JSON. No match or several matches are an error. Names after a dot may contain dashes. A path has at most 500 characters, and each node it visits counts toward the limit on processed characters.',
    ["{{ data | json: '$.items[0].sku' }}", order, 'A-1'],
    ["{{ data | json: '$.items[?(@.price < 10)].sku' }}", order, 'A-1'],
    ['{{ data | json: \'$.items[?(match(@.sku, "B-.*") && @.price > 9)].sku\' }}', order, 'B-2'],
    ["{{ data | json: '$.items[-1]' }}", order, { sku: 'B-2', price: 20 }],
    ["{{ data | json: '$.a.b' }}", '{"a":{"b":true}}', true],
  ],
  [
    'stringify',
    'Compact JSON. Text is unchanged, and null stays null.',
    ['{{ data.items[1] | stringify }}', order, '{"sku":"B-2","price":20}'],
    ['{{ data.items[1].price | stringify }}', order, '20'],
    ['{{ data.items[0].sku | stringify }}', order, 'A-1'],
    ['{{ data.missing | stringify }}', order, null],
  ],
  [
    'json_stringify',
    'The same as stringify.',
    ['{{ data | json_stringify }}', [1, 'a', null], '[1,"a",null]'],
  ],
  [
    'to_boolean',
    "true for 'true', '1' and 1; false for 'false', '0' and 0. null stays null; anything else is an error.",
    ['{{ data | to_boolean }}', 'True', true],
    ['{{ data | to_boolean }}', 0, false],
  ],
  [
    'to_number',
    'Parses text as a number; null stays null. Text that is not a number, or has more digits than a number can represent, is an error.',
    ['{{ data | to_number }}', '2.75', 2.75],
    ['{{ data | to_number }}', '0042', 42],
  ],
  [
    'to_string',
    'A number or boolean as text. null stays null; an object or array is an error.',
    ['{{ data | to_string }}', 3.5, '3.5'],
    ['{{ data | to_string }}', true, 'true'],
  ],
  [
    'default: value, allow_false=false',
    'Replaces null, false and empty values with another value.',
    ["{{ data.nickname | default: 'none' }}", { name: 'Ada' }, 'none'],
    ['{{ data.ok | default: true, allow_false: true }}', { ok: false }, false],
  ],
)
