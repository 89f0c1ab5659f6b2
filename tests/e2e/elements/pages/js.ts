import { BasisTheory } from '@basis-theory/basis-theory-js'

Object.assign(window, { start: (key: string) => new BasisTheory().init(key, { elements: true }) })
