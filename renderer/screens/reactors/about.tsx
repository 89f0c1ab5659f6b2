import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { strings as api } from '../../parts/api/strings.ts'
import { getState } from '../../parts/reactors/get-state.tsx'
import { useIsolation } from '../../parts/reactors/use-isolation.ts'
import { Copyable, getStamps, RecordSections } from '../../parts/resource-screen/drawer-sections.tsx'
import { PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { strings } from './strings.ts'

const t = strings.drawer
const REDACTED = '••••••••'

/** The properties of a stored reactor, and how a program calls it. */
export function About({ reactor }: { reactor: ReactorObject }) {
  const { id, application, configuration, runtime } = reactor
  const actor = useActorName()
  const isolation = useIsolation()
  // SECURITY: `requested` repeats the configuration.
  const { requested: _, ...shown } = reactor
  const number = "{{ <token id> | json: '$.number' }}"
  const redacted = Object.fromEntries(Object.keys(configuration).map((entry) => [entry, REDACTED]))
  return (
    <>
      <PanelSection title={t.facts}>
        <Properties
          of={{
            [t.id]: <Copyable value={id} />,
            [t.application]: application ? actor(application.id) : strings.noApplication,
            ...getState(reactor),
            [t.isolation]: isolation,
            ...getStamps(reactor),
          }}
        />
      </PanelSection>
      <PanelSection title={t.connect}>
        <RequestSnippet
          request={{
            method: 'POST',
            path: `/reactors/${id}/react`,
            key: api.keyHint,
            body: runtime?.image === 'node22' ? { number } : { args: { number } },
          }}
        />
      </PanelSection>
      <RecordSections id={id} value={{ ...shown, configuration: redacted }} />
    </>
  )
}
