import type { OwnerSession } from '../../../shared/schemas/session.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { PermissionChips } from '../../parts/access/permission-chips.tsx'
import ruleCardStyles from '../../parts/access/rule-card.module.css'
import { RuleCard } from '../../parts/access/rule-card.tsx'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { NoneCreated } from '../../parts/api/none-created.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { createTimeColumn } from '../../parts/resource-screen/columns.tsx'
import { getStamps, IdTitle, RecordSections } from '../../parts/resource-screen/drawer-sections.tsx'
import type { DrawerActions } from '../../parts/resource-screen/resource-list.tsx'
import { Chip } from '../../ui/chip.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Countdown } from '../../ui/time/countdown.tsx'
import { createChoices, FilteredList, useApplicationField } from './filtered-list.tsx'
import { sessionList } from './lists.ts'
import { strings } from './strings.ts'

const t = strings.sessions
const SOON_MS = 30_000

/** The short-lived sessions that pages start with a public key (rule O-04). */
export function ShortSessions() {
  const application = useApplicationField()
  return (
    <FilteredList
      source={sessionList}
      entity="session"
      view="sessions"
      strings={t}
      icon="clock"
      fields={[
        createChoices('state', t.state, t.states),
        application,
        { field: 'id', label: strings.id, icon: 'hash' },
      ]}
      columns={createColumns(useActorName())}
      empty={
        <NoneCreated icon="clock" strings={t.empty} path="/sessions" keyHint={t.empty.keyHint} body={{}} />
      }
      read={(id) => vault.sessions.describe({ id })}
      renderDrawer={(session, actions) => <SessionDrawer session={session} {...actions} />}
      onRemove={(id) => vault.sessions.remove({ id })}
    />
  )
}

function SessionChip({ session: { authorized_by } }: { session: OwnerSession }) {
  const isAuthorized = authorized_by !== undefined
  return (
    <Chip tone={isAuthorized ? 'green' : 'amber'}>
      {isAuthorized ? t.states.authorized : t.states.waiting}
    </Chip>
  )
}

function createColumns(getName: ReturnType<typeof useActorName>): readonly Column<OwnerSession>[] {
  return [
    {
      id: 'by',
      label: t.columns.startedBy,
      width: 'minmax(120px, 1fr)',
      render: ({ application_id }) => <MarkedSpan className="clip" text={getName(application_id)} />,
    },
    {
      id: 'state',
      label: t.columns.state,
      width: '116px',
      render: (session) => <SessionChip session={session} />,
    },
    {
      id: 'left',
      label: t.columns.left,
      width: '84px',
      right: true,
      render: ({ expires_at }) => <Countdown at={expires_at} soon_ms={SOON_MS} over={strings.over} />,
    },
    {
      id: 'authorizer',
      label: t.columns.authorizedBy,
      width: 'minmax(120px, 1fr)',
      from: 620,
      render: ({ authorized_by }) =>
        authorized_by !== undefined && <MarkedSpan className="clip" text={getName(authorized_by)} />,
    },
    {
      id: 'may',
      label: t.columns.may,
      width: 'minmax(140px, 2fr)',
      from: 760,
      render: (session) => <span className="dim clip">{t.describeGrants(session)}</span>,
    },
    { id: 'created', label: strings.created, ...createTimeColumn(520) },
  ]
}

type SessionDrawerProps = Pick<DrawerActions, 'onClose' | 'onDelete'> & { readonly session: OwnerSession }

function SessionDrawer({ session, onClose, onDelete }: SessionDrawerProps) {
  const isOwner = useIsOwner()
  const getName = useActorName()
  const { id, application_id, authorized_by, permissions, rules, expires_at } = session
  const renderApplication = (of: string) => (
    <LinkButton to={toHref('applications', of)} label={<MarkedText text={getName(of)} />} />
  )
  return (
    <Panel
      label={t.drawer.label}
      title={<IdTitle icon="clock" id={id} what={strings.id} />}
      onClose={onClose}
    >
      {isOwner && (
        <div className={panelStyles.actions}>
          <ActionButton icon="stop" label={t.remove.action} onClick={onDelete} />
        </div>
      )}
      <PanelSection title={t.drawer.session} aside={<SessionChip session={session} />}>
        <Properties
          of={{
            [t.columns.left]: <Countdown at={expires_at} soon_ms={SOON_MS} over={strings.over} />,
            [t.columns.startedBy]: renderApplication(application_id),
            [t.columns.authorizedBy]: authorized_by && renderApplication(authorized_by),
            ...getStamps(session),
            [t.drawer.calls]: (
              <LinkButton to={getRecordsHref([{ field: 'app', value: id }])} label={t.drawer.showCalls} />
            ),
          }}
        />
      </PanelSection>
      <PanelSection title={t.columns.may}>
        {authorized_by === undefined && <span className="faint">{t.drawer.mayNothing}</span>}
        <div className={ruleCardStyles.list}>
          {permissions.length > 0 && <PermissionChips permissions={permissions} />}
          {rules.map((rule) => (
            <RuleCard key={rule.priority} rule={rule} />
          ))}
        </div>
      </PanelSection>
      <RecordSections id={id} value={session} />
    </Panel>
  )
}
