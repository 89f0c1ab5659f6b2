import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { Chip } from '../../ui/chip.tsx'
import { PropertyRow } from '../../ui/panel.tsx'
import { strings } from './strings.ts'

const t = strings.runtime

type Callable = {
  readonly state: ReactorObject['state']
  readonly requested?: { readonly error_message: string } | undefined
}

/** The state of a reactor or a proxy, and why it is not active. */
export function StateRow({ of: { state, requested } }: { of: Callable }) {
  return (
    <PropertyRow name={t.state}>
      <Chip tone={state === 'active' ? 'green' : state === 'failed' ? 'red' : 'amber'}>{state}</Chip>{' '}
      {requested?.error_message}
    </PropertyRow>
  )
}
