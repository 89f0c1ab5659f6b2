import { basistheory } from 'web-elements-1'

Object.assign(window, { start: (key: string) => basistheory(key) })
