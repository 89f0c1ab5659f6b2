import * as elements from '@basis-theory/basis-theory-react'
import { showForm } from './form.tsx'

showForm(elements as never, (key) => elements.useBasisTheory(key, { elements: true }) as never)
