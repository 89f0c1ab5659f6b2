import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { History } from '../../parts/access/history.tsx'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { ConnectCode } from '../../parts/api/connect-code.tsx'
import { strings as api } from '../../parts/api/strings.ts'
import { PanelSection, PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'

const t = strings.drawer
const REDACTED = '••••••••'

/** The properties of a stored reactor, and how a program calls it. */
export function About({ reactor }: { reactor: ReactorObject }) {
  const { id, application, created_at, modified_at, configuration } = reactor
  const actor = useActorName()
  const isOwner = useIsOwner()
  const redacted = Object.fromEntries(Object.keys(configuration).map((entry) => [entry, REDACTED]))
  return (
    <>
      <PanelSection title={t.facts}>
        <PropertyList>
          <PropertyRow name={t.id}>
            <span className="mono">{id}</span> <CopyButton value={id} what="id" />
          </PropertyRow>
          <PropertyRow name={t.application}>
            {application ? <MarkedText text={actor(application.id)} /> : strings.noApplication}
          </PropertyRow>
          <PropertyRow name={t.created}>
            <Time at={created_at} />
          </PropertyRow>
          {modified_at !== undefined && (
            <PropertyRow name={t.modified}>
              <Time at={modified_at} />
            </PropertyRow>
          )}
        </PropertyList>
      </PanelSection>
      <PanelSection title={t.connect}>
        <ConnectCode
          label={t.connect}
          request={(base) => ({
            method: 'POST',
            url: `${base}/reactors/${id}/react`,
            key: api.keyHint,
            body: { args: { number: "{{ <token id> | json: '$.number' }}" } },
          })}
        />
      </PanelSection>
      {isOwner && (
        <PanelSection title={t.history}>
          <History id={id} />
        </PanelSection>
      )}
      <PanelSection title={t.json}>
        <JsonView value={{ ...reactor, configuration: redacted }} what={t.json} />
      </PanelSection>
    </>
  )
}
