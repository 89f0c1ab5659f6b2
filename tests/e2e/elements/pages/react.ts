import * as elements from '@basis-theory/basis-theory-react'
import { readAddress } from './address.ts'
import { showForm } from './form.tsx'

const options = { elements: true, ...readAddress() } as const

showForm(elements as never, (key) => elements.useBasisTheory(key, options) as never)
