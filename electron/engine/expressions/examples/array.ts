import { createExamples } from './example.ts'

const items = [
  { sku: 'B-2', price: 20, type: 'book' },
  { sku: 'A-1', price: 5, type: 'pen' },
]

export const array = createExamples(
  'array',
  ['compact', 'Removes null items.', ['{{ data | compact }}', ['a', null, 'b'], ['a', 'b']]],
  [
    'concat: list',
    'Joins two lists into one.',
    ['{{ data.a | concat: data.b }}', { a: [1], b: [2, 3] }, [1, 2, 3]],
  ],
  [
    'find: member, value',
    'The first object whose member equals a value.',
    ["{{ data | find: 'type', 'pen' }}", items, { sku: 'A-1', price: 5, type: 'pen' }],
  ],
  [
    'find_index: member, value',
    'The index of the first object whose member equals a value.',
    ["{{ data | find_index: 'type', 'pen' }}", items, 1],
  ],
  ['first', 'The first item.', ['{{ data | first }}', ['a', 'b'], 'a']],
  [
    'has: member, value',
    'Whether any object has a member that equals a value.',
    ["{{ data | has: 'type', 'pen' }}", items, true],
  ],
  [
    "join: separator=' '",
    'Joins the items into one string.',
    ["{{ data | join: ', ' }}", ['a', 'b'], 'a, b'],
  ],
  ['last', 'The last item.', ['{{ data | last }}', ['a', 'b'], 'b']],
  [
    'map: member',
    'The values of one member of each object.',
    ["{{ data | map: 'sku' }}", items, ['B-2', 'A-1']],
  ],
  [
    'reject: member, value',
    'The objects whose member does not equal a value.',
    ["{{ data | reject: 'type', 'pen' | map: 'sku' }}", items, ['B-2']],
  ],
  ['reverse', 'Reverses the order.', ['{{ data | reverse }}', ['a', 'b'], ['b', 'a']]],
  [
    'size',
    'The number of items or characters.',
    ['{{ data | size }}', ['a', 'b'], 2],
    ['{{ data | size }}', 'abc', 3],
  ],
  [
    'sort: member',
    'Sorts the items, optionally by a member.',
    ["{{ data | sort: 'price' | map: 'sku' }}", items, ['A-1', 'B-2']],
  ],
  [
    'sort_natural: member',
    'Sorts case-insensitively.',
    ['{{ data | sort_natural }}', ['b', 'A', 'C'], ['A', 'b', 'C']],
  ],
  [
    'sum: member',
    'The sum of the items, or of one member of each.',
    ["{{ data | sum: 'price' }}", items, 25],
  ],
  ['uniq', 'Removes duplicate items.', ['{{ data | uniq }}', ['a', 'b', 'a'], ['a', 'b']]],
  [
    'where: member, value',
    'The objects whose member equals a value.',
    ["{{ data | where: 'type', 'pen' | map: 'sku' }}", items, ['A-1']],
  ],
)
