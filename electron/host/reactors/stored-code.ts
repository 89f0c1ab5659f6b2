/** The code that a request for a reactor or a proxy gives, with the members that hold it; none in what is no such request. */
export function codesIn(input: unknown): [member: string, code: string][] {
  const given = membersOf(input)
  const transforms = ['request', 'response'].flatMap((side): [string, unknown][] => {
    const { [`${side}_transform`]: one, [`${side}_transforms`]: several } = given
    const listed = Array.isArray(several) ? several : []
    return [
      [`${side}_transform.code`, membersOf(one).code],
      ...listed.map((each, at): [string, unknown] => [
        `${side}_transforms[${at}].code`,
        membersOf(each).code,
      ]),
    ]
  })
  const all: [string, unknown][] = [['code', given.code], ...transforms]
  return all.filter((each): each is [string, string] => typeof each[1] === 'string')
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
