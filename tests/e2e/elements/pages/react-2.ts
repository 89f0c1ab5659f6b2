import * as elements from '@basis-theory/react-elements'
import { showForm } from './form.tsx'

showForm(elements as never, (key) => elements.useBasisTheory(key) as never)
