/** Lists the code in a request for a reactor or a proxy, with the members that hold it. Empty for any other input. */
export function listCodes(input: unknown): [member: string, code: string][] {
  const fields = getFields(input)
  const transforms = ['request', 'response'].flatMap((side): [string, unknown][] => {
    const { [`${side}_transform`]: one, [`${side}_transforms`]: several } = fields
    const listed = Array.isArray(several) ? several : []
    return [
      [`${side}_transform.code`, getFields(one).code],
      ...listed.map((each, at): [string, unknown] => [
        `${side}_transforms[${at}].code`,
        getFields(each).code,
      ]),
    ]
  })
  const all: [string, unknown][] = [['code', fields.code], ...transforms]
  return all.filter((each): each is [string, string] => typeof each[1] === 'string')
}

function getFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
