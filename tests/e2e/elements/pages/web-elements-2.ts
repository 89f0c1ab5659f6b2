import { basistheory } from '@basis-theory/web-elements'

Object.assign(window, { start: (key: string) => basistheory(key) })
