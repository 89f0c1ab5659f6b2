import { BasisTheory } from '@basis-theory/basis-theory-js'
import { readAddress } from './address.ts'

Object.assign(window, {
  start: (key: string) => new BasisTheory().init(key, { elements: true, ...readAddress() }),
})
