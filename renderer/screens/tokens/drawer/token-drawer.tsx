import { Button } from '@mantine/core'
import type { Token } from '../../../../shared/schemas/token.ts'
import { useActorName } from '../../../parts/access/application-names.ts'
import { History } from '../../../parts/access/history.tsx'
import { useLooking } from '../../../parts/access/looking.ts'
import { WhyNot } from '../../../parts/access/why-not.tsx'
import { hasCode, sentenceOf } from '../../../parts/messages/sentence.ts'
import { iconOf, nameOf } from '../../../parts/tokens/token-types.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Crumbs } from '../../../ui/crumbs.tsx'
import { Failure } from '../../../ui/failure.tsx'
import type { GridAction } from '../../../ui/grid/grid-menu.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Key } from '../../../ui/keys/keys.tsx'
import { Fact, Facts, Panel, Part } from '../../../ui/panel.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { JsonView } from '../../../ui/text/json-view.tsx'
import { MarkedText, markedText } from '../../../ui/text/marked-text.tsx'
import { Countdown } from '../../../ui/time/countdown.tsx'
import { Ring } from '../../../ui/time/ring.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { useNow } from '../../../ui/time/use-now.ts'
import { type FilterName, metadataText } from '../list/token-filters.ts'
import { strings } from '../strings.ts'
import { CardFacts } from './card-facts.tsx'
import { REVEAL_SECONDS, useDrawer } from './drawer-store.ts'
import { HeldData } from './held-data.tsx'

const t = strings.drawer

type Props = {
  readonly id: string
  readonly actions: readonly GridAction[]
  readonly onClose: () => void
  readonly onFilter: (name: FilterName, value: string) => void
}

/** One token: its data, masked or revealed, and everything about it. */
export function TokenDrawer({ id, actions, onClose, onFilter }: Props) {
  const { token, problem } = useDrawer()
  return (
    <Panel
      label={t.label}
      title={
        <>
          <Icon name={token ? iconOf(token.type) : 'token'} />
          <span className="mono clip" title={id}>
            {id}
          </span>
          <CopyButton value={id} what={t.copyId} />
        </>
      }
      onClose={onClose}
    >
      {problem !== null && <Refused id={id} problem={problem} />}
      {token && <Content token={token} actions={actions} onFilter={onFilter} />}
    </Panel>
  )
}

function Refused({ id, problem }: { id: string; problem: unknown }) {
  return (
    <div className="form">
      <Failure>{hasCode(problem, 'not_found') ? t.gone : sentenceOf(problem)}</Failure>
      <WhyNot problem={problem} on={{ token_id: id }} />
    </div>
  )
}

function Content({ token, actions, onFilter }: { token: Token } & Omit<Props, 'id' | 'onClose'>) {
  const { as } = useLooking()
  const { revealed, decision } = useDrawer()
  return (
    <>
      <div className="actions">
        {actions
          // The token is open, and the button beside its id copies it.
          .filter(({ keys }) => keys !== 'enter' && keys !== 'c')
          .map(({ label, icon, keys, run }) => (
            <Button
              key={label}
              variant={label === t.hide ? 'light' : 'default'}
              {...(label === t.hide && { color: 'amber' })}
              leftSection={<Icon name={icon} size={14} />}
              onClick={run}
            >
              {label} {keys !== undefined && <Key of={keys} />}
            </Button>
          ))}
      </div>
      <Part
        title={t.data}
        aside={revealed ? <RevealRing until={revealed.until} /> : <Chip>{nameOf(token.type)}</Chip>}
      >
        <HeldData
          data={revealed ? revealed.data : token.data}
          hasMask={token.mask !== undefined}
          open={revealed !== null}
        />
        {revealed && <div className="held-note">{t.revealed}</div>}
        {as && decision !== null && <div className="held-note">{decision}</div>}
      </Part>
      <CardFacts token={token} />
      <Part title={t.containers}>
        {token.containers.map((container) => (
          <div key={container}>
            <Crumbs
              path={container}
              label={strings.inContainer}
              onPick={(scope) => onFilter('container', scope)}
            />
          </div>
        ))}
      </Part>
      <Metadata token={token} onFilter={onFilter} />
      <Expressions token={token} onFilter={onFilter} />
      <Times token={token} />
      {!as && (
        <Part title={t.history}>
          <History id={token.id} />
        </Part>
      )}
      <Part title={t.json}>
        <JsonView value={token} what={t.json} />
      </Part>
    </>
  )
}

function RevealRing({ until }: { until: number }) {
  const now = useNow(250)
  return <Ring left={Math.max(0, Math.ceil((until - now) / 1000))} of={REVEAL_SECONDS} />
}

function Metadata({ token, onFilter }: Pick<Props, 'onFilter'> & { token: Token }) {
  const pairs = Object.entries(token.metadata ?? {})
  return (
    <Part title={t.metadata}>
      {pairs.length === 0 && <span className="faint">{t.noMetadata}</span>}
      <Facts>
        {pairs.map(([key, value]) => (
          <Fact key={key} name={key}>
            <button
              type="button"
              className="unstyled link mono"
              title={t.filterBy(key)}
              onClick={() => onFilter('metadata', metadataText([{ key, value }]) ?? '')}
            >
              <MarkedText text={value} />
            </button>
          </Fact>
        ))}
      </Facts>
    </Part>
  )
}

function Expressions({ token, onFilter }: Pick<Props, 'onFilter'> & { token: Token }) {
  const { mask, fingerprint, fingerprint_expression, search_indexes = [] } = token
  if (mask === undefined && !fingerprint && search_indexes.length === 0) return null
  return (
    <Part title={t.expressions}>
      <Facts>
        {mask !== undefined && (
          <Fact name={t.mask}>
            <pre className="mono held-json">
              <MarkedText text={typeof mask === 'string' ? mask : JSON.stringify(mask, null, 2)} />
            </pre>
          </Fact>
        )}
        {fingerprint_expression !== undefined && (
          <Fact name={t.fingerprintOf}>
            <span className="mono">
              <MarkedText text={fingerprint_expression} />
            </span>
          </Fact>
        )}
        {fingerprint !== undefined && (
          <Fact name={t.fingerprint}>
            <span className="fact-copy">
              <button
                type="button"
                className="unstyled link mono"
                title={t.sameContent}
                onClick={() => onFilter('fingerprint', fingerprint)}
              >
                {fingerprint}
              </button>
              <CopyButton value={fingerprint} what={t.fingerprint.toLowerCase()} />
            </span>
          </Fact>
        )}
        {search_indexes.length > 0 && (
          <Fact name={t.indexes}>
            {search_indexes.map((each) => (
              <div key={each} className="mono">
                <MarkedText text={each} />
              </div>
            ))}
          </Fact>
        )}
      </Facts>
    </Part>
  )
}

function Times({ token }: { token: Token }) {
  const actor = useActorName()
  return (
    <Part title={t.times}>
      <Facts>
        <Fact name={t.created}>
          <Time at={token.created_at} />{' '}
          <span className="faint">
            {t.by(token.created_by ? markedText(actor(token.created_by)) : t.owner)}
          </span>
        </Fact>
        {token.modified_at !== undefined && (
          <Fact name={t.modified}>
            <Time at={token.modified_at} />{' '}
            <span className="faint">
              {t.by(token.modified_by ? markedText(actor(token.modified_by)) : t.owner)}
            </span>
          </Fact>
        )}
        {token.expires_at !== undefined && (
          <Fact name={t.expires}>
            <Countdown at={token.expires_at} />
          </Fact>
        )}
      </Facts>
    </Part>
  )
}
