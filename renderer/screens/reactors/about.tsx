import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { History } from '../../parts/access/history.tsx'
import { useLooking } from '../../parts/access/looking.ts'
import { ConnectCode } from '../../parts/api/connect-code.tsx'
import { strings as api } from '../../parts/api/strings.ts'
import { Fact, Facts, Part } from '../../ui/panel.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'

const t = strings.panel
const DOTS = '••••••••'

/** What a stored reactor is, and how a program calls it. */
export function About({ reactor }: { reactor: ReactorObject }) {
  const { id, application, created_at, modified_at, configuration } = reactor
  const actor = useActorName()
  const isOwner = useLooking(({ as }) => as === null)
  const dotted = Object.fromEntries(Object.keys(configuration).map((entry) => [entry, DOTS]))
  return (
    <>
      <Part title={t.facts}>
        <Facts>
          <Fact name={t.id}>
            <span className="mono">{id}</span> <CopyButton value={id} what="id" />
          </Fact>
          <Fact name={t.application}>
            {application ? <MarkedText text={actor(application.id)} /> : strings.noApplication}
          </Fact>
          <Fact name={t.created}>
            <Time at={created_at} />
          </Fact>
          {modified_at !== undefined && (
            <Fact name={t.modified}>
              <Time at={modified_at} />
            </Fact>
          )}
        </Facts>
      </Part>
      <Part title={t.connect}>
        <ConnectCode
          label={t.connect}
          request={(base) => ({
            method: 'POST',
            url: `${base}/reactors/${id}/react`,
            key: api.keyHint,
            body: { args: { number: "{{ <token id> | json: '$.number' }}" } },
          })}
        />
      </Part>
      {isOwner && (
        <Part title={t.history}>
          <History id={id} />
        </Part>
      )}
      <Part title={t.json}>
        <JsonView value={{ ...reactor, configuration: dotted }} what={t.json} />
      </Part>
    </>
  )
}
