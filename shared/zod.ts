import * as zod from 'zod'

// biome-ignore lint/performance/noBarrelFile: stands in for a single package
export * from 'zod'
/** Zod with one instance of each schema without options, because a start would create a thousand of them. */
export * as z from './zod.ts'

function reuseDefault<Make extends (params?: never) => zod.ZodType>(make: Make): Make {
  const plain = make()
  return ((params) => (params === undefined ? plain : make(params))) as Make
}

export const boolean = reuseDefault(zod.boolean)
export const int = reuseDefault(zod.int)
export const number = reuseDefault(zod.number)
export const string = reuseDefault(zod.string)
export const unknown = reuseDefault(zod.unknown)
export const uuid = reuseDefault(zod.uuid)

const nothingElse = zod.never()

/** Returns a schema for an object with these members and no others. */
export function strictObject<Shape extends zod.core.$ZodLooseShape>(shape: Shape) {
  return new zod.ZodObject({ type: 'object', shape, catchall: nothingElse }) as ReturnType<
    typeof zod.strictObject<Shape>
  >
}
