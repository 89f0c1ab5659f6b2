import type { Json } from '../../shared/json.ts'

/** A string, a number and a member name that represent plaintext, so no response may repeat them. */
export const canaries = ['canary-plaintext', '4929000000006', '5105105105105100']
const [text = '', digits = '', name = ''] = canaries

const replacements: Json[] = [
  text,
  Number(digits),
  true,
  null,
  [text],
  [Number(digits)],
  { [name]: text },
  text.repeat(200),
  Array.from({ length: 200 }, () => text),
]

export type Mutation = { readonly member: string; readonly body: Json }

/** Returns mutations of a body: one value replaced, one member removed, or one added. */
export function createMutations(body: { [member: string]: Json }): Mutation[] {
  const changed = Object.keys(body).flatMap((member) =>
    createVariants(body[member] ?? null).map((value) => ({ member, body: { ...body, [member]: value } })),
  )
  const without = Object.keys(body).map((member) => ({
    member,
    body: Object.fromEntries(Object.entries(body).filter(([each]) => each !== member)),
  }))
  const more = [
    { member: 'unheard_of', body: { ...body, unheard_of: text } },
    { member: '', body: { ...body, [name]: text } },
  ]
  return [...changed, ...without, ...more]
}

function createVariants(value: Json): Json[] {
  if (Array.isArray(value)) {
    const inside = value.flatMap((item, at) =>
      createVariants(item).map((each) => value.map((other, index) => (index === at ? each : other))),
    )
    return [...replacements, ...inside]
  }
  if (typeof value !== 'object' || value === null) return replacements
  const inside = Object.entries(value).flatMap(([member, item]) =>
    createVariants(item).map((each) => ({ ...value, [member]: each })),
  )
  return [...replacements, ...inside, { ...value, [name]: text }]
}
