import * as zod from 'zod'

// biome-ignore lint/performance/noBarrelFile: stands in for a single package
export * from 'zod'
/** Zod, with what is the same in every schema made once: a start would make a thousand of them. */
export * as z from './zod.ts'

function once<Make extends (params?: never) => zod.ZodType>(make: Make): Make {
  const plain = make()
  return ((params) => (params === undefined ? plain : make(params))) as Make
}

export const boolean = once(zod.boolean)
export const int = once(zod.int)
export const number = once(zod.number)
export const string = once(zod.string)
export const unknown = once(zod.unknown)
export const uuid = once(zod.uuid)

const nothingElse = zod.never()

/** An object with these members and no others. */
export function strictObject<Shape extends zod.core.$ZodLooseShape>(shape: Shape) {
  return new zod.ZodObject({ type: 'object', shape, catchall: nothingElse }) as ReturnType<
    typeof zod.strictObject<Shape>
  >
}
