import { formatCardTerm } from '../../../shared/card-term.ts'
import type { TokenIntent } from '../../../shared/schemas/token-intent.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { NoneCreated } from '../../parts/api/none-created.tsx'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import { createTimeColumn, IconText } from '../../parts/resource-screen/columns.tsx'
import { Copyable, getStamps, IdTitle, RecordSections } from '../../parts/resource-screen/drawer-sections.tsx'
import type { DrawerActions } from '../../parts/resource-screen/resource-list.tsx'
import { getTypeIcon, getTypeName, typeNames } from '../../parts/tokens/token-types.ts'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { Countdown } from '../../ui/time/countdown.tsx'
import { createActorColumn, createChoices, FilteredList, useApplicationField } from './filtered-list.tsx'
import { intentList } from './lists.ts'
import { strings } from './strings.ts'

const t = strings.intents
const HOUR_MS = 3_600_000
const sample = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }
const types = Object.fromEntries(
  typeNames.filter((type) => type !== 'network_token').map((type) => [type, getTypeName(type)]),
)

/** The token intents that wait to become tokens (rule O-03). */
export function Intents() {
  const application = useApplicationField()
  return (
    <FilteredList
      source={intentList}
      entity="token_intent"
      view="intents"
      strings={t}
      icon="token"
      fields={[
        createChoices('type', t.columns.type, types),
        application,
        { field: 'card', label: t.columns.data, icon: 'card' },
        { field: 'id', label: strings.id, icon: 'hash' },
      ]}
      columns={createColumns(useActorName())}
      empty={
        <NoneCreated
          icon="token"
          strings={t.empty}
          path="/token-intents"
          keyHint={strings.keyHint}
          body={{ type: 'card', data: sample }}
        />
      }
      read={(id) => vault.tokenIntents.get({ id })}
      renderGone={(id) => <Converted id={id} />}
      renderDrawer={(intent, actions) => <IntentDrawer intent={intent} {...actions} />}
      onRemove={(id) => vault.tokenIntents.remove({ id })}
    />
  )
}

/** The token that an intent was turned into, as the log tells. */
function Converted({ id }: { id: string }) {
  const { value } = useLoaded(
    async () => {
      const { data } = await vault.logs.list({ entity_id: id, entity_type: 'token', size: 10 })
      return { record: data.find(({ status, entity_id }) => status < 400 && entity_id !== undefined) }
    },
    { about: id, follows: 'log' },
  )
  if (value === null) return null
  const token_id = value.record?.entity_id
  if (token_id === undefined) return t.drawer.gone
  return (
    <Properties
      of={{ [t.drawer.turnedInto]: <LinkButton to={toHref('tokens', token_id)} mono label={token_id} /> }}
    />
  )
}

/** The card or account of an intent, without what is secret. */
function IntentData({ intent: { card, bank } }: { intent: TokenIntent }) {
  if (card) {
    const { brand, last4, expiration_month: month, expiration_year: year } = card
    return (
      <>
        {brand && formatCardTerm(brand)} <span className="mono">•••• {last4}</span>{' '}
        {month !== undefined && (
          <span className="faint">
            {String(month).padStart(2, '0')}/{year}
          </span>
        )}
      </>
    )
  }
  if (bank) return <span className="mono">•••• {bank.account_number_last4}</span>
  return <span className="faint">{t.hidden}</span>
}

function createColumns(getName: ReturnType<typeof useActorName>): readonly Column<TokenIntent>[] {
  return [
    {
      id: 'type',
      label: t.columns.type,
      width: '130px',
      render: ({ type }) => <IconText icon={getTypeIcon(type)} text={getTypeName(type)} />,
    },
    {
      id: 'data',
      label: t.columns.data,
      width: 'minmax(150px, 2fr)',
      render: (intent) => <IntentData intent={intent} />,
    },
    {
      id: 'left',
      label: t.columns.left,
      width: '84px',
      right: true,
      render: ({ expires_at }) => <Countdown at={expires_at} soon_ms={HOUR_MS} over={strings.over} />,
    },
    createActorColumn(getName, 560),
    { id: 'created', label: strings.created, ...createTimeColumn(680) },
  ]
}

type IntentDrawerProps = Pick<DrawerActions, 'onClose' | 'onDelete'> & { readonly intent: TokenIntent }

function IntentDrawer({ intent, onClose, onDelete }: IntentDrawerProps) {
  const isOwner = useIsOwner()
  const getName = useActorName()
  const { id, type, created_by, expires_at, fingerprint } = intent
  return (
    <Panel
      label={t.drawer.label}
      title={<IdTitle icon={getTypeIcon(type)} id={id} what={strings.id} />}
      onClose={onClose}
    >
      {isOwner && (
        <div className={panelStyles.actions}>
          <ActionButton icon="trash" label={t.remove.action} onClick={onDelete} />
        </div>
      )}
      <PanelSection title={t.drawer.intent}>
        <Properties
          of={{
            [t.columns.type]: getTypeName(type),
            [t.columns.data]: <IntentData intent={intent} />,
            [t.columns.left]: <Countdown at={expires_at} soon_ms={HOUR_MS} over={strings.over} />,
            [strings.by]: getName(created_by),
            ...getStamps(intent),
            [t.drawer.fingerprint]: <Copyable value={fingerprint} />,
          }}
        />
      </PanelSection>
      <RecordSections id={id} value={intent} />
    </Panel>
  )
}
