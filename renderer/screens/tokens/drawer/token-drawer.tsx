import type { ReactNode } from 'react'
import type { Token } from '../../../../shared/schemas/token.ts'
import { useActorName } from '../../../parts/access/application-names.ts'
import { DeniedReason } from '../../../parts/access/denied-reason.tsx'
import { getReadClient, useViewAs } from '../../../parts/access/view-as.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { describeError, hasCode } from '../../../parts/messages/describe-error.ts'
import { IdTitle, RecordSections } from '../../../parts/resource-screen/drawer-sections.tsx'
import { getTypeIcon, getTypeName } from '../../../parts/tokens/token-types.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Crumbs } from '../../../ui/crumbs.tsx'
import { Failure } from '../../../ui/failure.tsx'
import formStyles from '../../../ui/form.module.css'
import type { GridAction } from '../../../ui/grid/grid-menu.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import panelStyles from '../../../ui/panel.module.css'
import { Panel, PanelSection, PropertyList, PropertyRow } from '../../../ui/panel.tsx'
import { Properties } from '../../../ui/properties.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { MarkedText, markText } from '../../../ui/text/marked-text.tsx'
import { Countdown } from '../../../ui/time/countdown.tsx'
import { Ring } from '../../../ui/time/ring.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { type FilterName, formatMetadataFilter } from '../list/token-filters.ts'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'
import { CardDetailsSection } from './card-details-section.tsx'
import { type DrawerState, REVEAL_SECONDS, useDrawer } from './drawer-store.ts'
import { NetworkTokensSection } from './network-tokens-section.tsx'
import { RevealedData } from './revealed-data.tsx'

const t = strings.drawer

type Props = {
  readonly id: string
  readonly actions: readonly GridAction[]
  readonly onClose: () => void
  readonly onFilter: (name: FilterName, value: string) => void
}

export function TokenDrawer({ id, actions, onClose, onFilter }: Props) {
  const { token, problem, revealed, decision } = useDrawer()
  return (
    <TokenFrame id={id} token={token} problem={problem} onClose={onClose}>
      {token && (
        <Content
          token={token}
          actions={actions}
          onFilter={onFilter}
          revealed={revealed}
          decision={decision}
        />
      )}
    </TokenFrame>
  )
}

/** A pinned token, beside the open one. SECURITY: it stays masked, because only one token is revealed at a time. */
export function PinnedToken({ id, onClose, onFilter }: Omit<Props, 'actions'>) {
  const as = useViewAs((state) => state.as?.id ?? '')
  const { value, problem } = useLoaded(() => getReadClient().tokens.get({ id }), {
    about: `${id} ${as}`,
    follows: ['token'],
  })
  const token = problem === null ? value : null
  return (
    <TokenFrame id={id} token={token} problem={problem} onClose={onClose}>
      {token && <Content token={token} actions={[]} onFilter={onFilter} revealed={null} decision={null} />}
    </TokenFrame>
  )
}

type FrameProps = Pick<Props, 'id' | 'onClose'> & {
  readonly token: Token | null
  readonly problem: unknown
  readonly children: ReactNode
}

function TokenFrame({ id, token, problem, onClose, children }: FrameProps) {
  return (
    <Panel
      label={t.label}
      title={<IdTitle icon={token ? getTypeIcon(token.type) : 'token'} id={id} what={t.copyId} />}
      onClose={onClose}
    >
      {problem !== null && <LoadFailure id={id} problem={problem} />}
      {children}
    </Panel>
  )
}

function LoadFailure({ id, problem }: { id: string; problem: unknown }) {
  return (
    <div className={formStyles.root}>
      <Failure>{hasCode(problem, 'not_found') ? t.gone : describeError(problem)}</Failure>
      <DeniedReason problem={problem} on={{ token_id: id }} />
    </div>
  )
}

type ContentProps = Omit<Props, 'id' | 'onClose'> &
  Pick<DrawerState, 'revealed' | 'decision'> & { readonly token: Token }

function Content({ token, actions, onFilter, revealed, decision }: ContentProps) {
  const { as } = useViewAs()
  return (
    <>
      <div className={panelStyles.actions}>
        {actions
          // Leaves out two actions: opening the token, which is open already, and copying its id, which
          // has its own button.
          .filter(({ keys }) => keys !== 'enter' && keys !== 'c')
          .map(({ label, icon, keys, run }) => (
            <ActionButton
              key={label}
              icon={icon}
              label={label}
              shortcut={keys}
              {...(label === t.hide && { variant: 'light', color: 'amber' })}
              onClick={run}
            />
          ))}
      </div>
      <PanelSection
        title={t.data}
        aside={
          revealed ? (
            <Ring until={revealed.until} of={REVEAL_SECONDS} />
          ) : (
            <Chip>{getTypeName(token.type)}</Chip>
          )
        }
      >
        <RevealedData
          data={revealed ? revealed.data : token.data}
          hasMask={token.mask !== undefined}
          open={revealed !== null}
        />
        {revealed && <div className="note">{t.revealed}</div>}
        {as && decision !== null && <div className="note">{decision}</div>}
      </PanelSection>
      <CardDetailsSection token={token} />
      <NetworkTokensSection key={token.id} token={token} />
      <PanelSection title={t.containers}>
        {token.containers.map((container) => (
          <div key={container}>
            <Crumbs
              path={container}
              label={strings.inContainer}
              onPick={(scope) => onFilter('container', scope)}
            />
          </div>
        ))}
      </PanelSection>
      <Metadata token={token} onFilter={onFilter} />
      <Expressions token={token} onFilter={onFilter} />
      <Times token={token} />
      <RecordSections id={token.id} value={token} />
    </>
  )
}

function Metadata({ token, onFilter }: Pick<Props, 'onFilter'> & { token: Token }) {
  const pairs = Object.entries(token.metadata ?? {})
  return (
    <PanelSection title={t.metadata}>
      {pairs.length === 0 && <span className="faint">{t.noMetadata}</span>}
      <PropertyList>
        {pairs.map(([key, value]) => (
          <PropertyRow key={key} name={key}>
            <button
              type="button"
              className="unstyled link mono"
              title={t.filterBy(key)}
              onClick={() => onFilter('metadata', formatMetadataFilter([{ key, value }]) ?? '')}
            >
              <MarkedText text={value} />
            </button>
          </PropertyRow>
        ))}
      </PropertyList>
    </PanelSection>
  )
}

function Expressions({ token, onFilter }: Pick<Props, 'onFilter'> & { token: Token }) {
  const { mask, fingerprint, fingerprint_expression, search_indexes = [] } = token
  if (mask === undefined && !fingerprint && search_indexes.length === 0) return null
  return (
    <PanelSection title={t.expressions}>
      <Properties
        of={{
          [t.mask]: mask !== undefined && (
            <pre className={`mono ${styles.heldJson}`}>
              <MarkedText text={typeof mask === 'string' ? mask : JSON.stringify(mask, null, 2)} />
            </pre>
          ),
          [t.fingerprintOf]: fingerprint_expression && <MarkedSpan text={fingerprint_expression} />,
          [t.fingerprint]: fingerprint && (
            <span className={panelStyles.factCopy}>
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
          ),
          [t.indexes]:
            search_indexes.length > 0 &&
            search_indexes.map((each) => (
              <div key={each} className="mono">
                <MarkedText text={each} />
              </div>
            )),
        }}
      />
    </PanelSection>
  )
}

function Times({
  token: { created_at, created_by, modified_at, modified_by, expires_at },
}: {
  token: Token
}) {
  const actor = useActorName()
  const renderStamp = (at: string | undefined, by: string | null | undefined) =>
    at !== undefined && (
      <>
        <Time at={at} /> <span className="faint">{t.by(by ? markText(actor(by)) : t.owner)}</span>
      </>
    )
  return (
    <PanelSection title={t.times}>
      <Properties
        of={{
          [t.created]: renderStamp(created_at, created_by),
          [t.modified]: renderStamp(modified_at, modified_by),
          [t.expires]: expires_at !== undefined && <Countdown at={expires_at} />,
        }}
      />
    </PanelSection>
  )
}
