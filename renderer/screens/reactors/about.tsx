import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { strings as api } from '../../parts/api/strings.ts'
import { StateRow } from '../../parts/reactors/state-row.tsx'
import { useIsolation } from '../../parts/reactors/use-isolation.ts'
import { CopyRow, RecordSections, StampRows } from '../../parts/resource-screen/drawer-sections.tsx'
import { PanelSection, PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
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
        <PropertyList>
          <CopyRow name={t.id} value={id} />
          <PropertyRow name={t.application}>
            {application ? <MarkedText text={actor(application.id)} /> : strings.noApplication}
          </PropertyRow>
          <StateRow of={reactor} />
          {isolation !== null && <PropertyRow name={t.isolation}>{isolation}</PropertyRow>}
          <StampRows of={reactor} modified={t.modified} />
        </PropertyList>
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
