import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { Chip } from '../../ui/chip.tsx'
import { strings } from './strings.ts'

const t = strings.runtime

type Callable = {
  readonly state: ReactorObject['state']
  readonly requested?: { readonly error_message: string } | undefined
}

/** The state of a reactor or a proxy, and why it is not active, as a property. */
export function getState({ state, requested }: Callable) {
  const tone = state === 'active' ? 'green' : state === 'failed' ? 'red' : 'amber'
  return {
    [t.state]: (
      <>
        <Chip tone={tone}>{state}</Chip> {requested?.error_message}
      </>
    ),
  }
}
