import * as elements from 'react-elements-1'
import { showForm } from './form.tsx'

showForm(elements as never, (key) => elements.useBasisTheory(key) as never)
