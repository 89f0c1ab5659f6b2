import { Box, Button, Group } from '@mantine/core'
import type { ApplicationType, Permission } from '../../../shared/permissions.ts'
import { Icon } from '../../ui/icon.tsx'
import { PanelSection } from '../../ui/panel.tsx'
import { MarkedText, markText } from '../../ui/text/marked-text.tsx'
import { useLoaded } from '../connection/use-loaded.tsx'
import { vault } from '../connection/vault.ts'
import { goTo } from '../navigation/route.ts'
import { useActorName, useApplications } from './application-names.ts'
import styles from './considered-rules.module.css'
import { findAlternatives, type PermissionAlternatives } from './permission-rejection.ts'
import ruleCardStyles from './rule-card.module.css'
import { RuleCard } from './rule-card.tsx'
import { strings } from './strings.ts'
import { useViewAs, viewAsOwner } from './view-as.ts'

const t = strings.why
/** The maximum number of applications to list. The others are only counted. */
const MAX_LISTED_APPLICATIONS = 8
type Explanation = Awaited<ReturnType<typeof vault.access.explain>>

/** The resource that the permission was required for. */
export type PermissionTarget = { readonly token_id: string } | { readonly containers: readonly string[] }

type Props = {
  readonly application_id: string
  readonly permission: Permission
  /** Null if the permission does not depend on a container. */
  readonly on: PermissionTarget | null
}

/** Explains a denied call: the missing permission, and the verdict of every rule. */
export function ConsideredRules({ application_id, permission, on }: Props) {
  const actor = useActorName()
  const { as } = useViewAs()
  const name = markText(actor(application_id))
  const query = JSON.stringify({ application_id, permission, ...on })
  const { value: explanation } = useLoaded<Explanation>(() => vault.access.explain(JSON.parse(query)), {
    about: query,
  })
  const containers = on && ('containers' in on ? on.containers : explanation?.containers)
  const { rows: applications } = useApplications()
  const type = applications.find(({ id }) => id === application_id)?.type
  // The form offers a rule that grants what was missing.
  const edit = { edit: '1', ...(containers && { need: permission, at: containers[0] }) }
  const alternatives = type === undefined ? null : findAlternatives(type, permission, applications)

  return (
    <PanelSection title={t.title}>
      {containers !== undefined && (
        <p className={styles.text}>
          {containers ? t.onContainers(name, permission, containers.join(' ')) : t.anywhere(name, permission)}
        </p>
      )}
      {explanation?.note && containers && (
        <Box component="p" className={styles.text} c="var(--green)">
          {t.grantedNow(explanation.note)}
        </Box>
      )}
      {type !== undefined && alternatives && (
        <Never type={type} permission={permission} others={alternatives} />
      )}
      {explanation && !alternatives && (
        <>
          <Box component="p" className="faint" mb={6} fz={12}>
            {explanation.rules.length === 0 ? t.noRules : t.considered}
          </Box>
          <div className={ruleCardStyles.list}>
            {explanation.rules.map(({ rule, grants, covers, decides }) => (
              <RuleCard
                key={rule.priority}
                rule={rule}
                note={describeVerdict({ grants, covers: covers || !containers, decides, permission })}
              />
            ))}
          </div>
        </>
      )}
      <Group gap="xs" mt={10}>
        {alternatives ? (
          alternatives.holders.length === 0 && (
            <Button
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => viewAsOwner(goTo('applications', null, { new: '1' }))}
            >
              {t.create}
            </Button>
          )
        ) : (
          <Button
            leftSection={<Icon name="pencil" size={14} />}
            onClick={() => viewAsOwner(goTo('applications', application_id, edit))}
          >
            {as ? t.editAsOwner : t.edit}
          </Button>
        )}
      </Group>
    </PanelSection>
  )
}

type NeverProps = { type: ApplicationType; permission: Permission; others: PermissionAlternatives }

/** Shown when no rule can grant the permission: lists the applications that can be used instead. */
function Never({ type, permission, others: { types, holders } }: NeverProps) {
  const typeNames = types.map((each) => strings.types[each])
  return (
    <>
      <p className={styles.text}>{t.never(strings.types[type], permission)}</p>
      <p className={styles.text}>{holders.length === 0 ? t.none(typeNames) : t.use(typeNames)}</p>
      {holders.length > 0 && (
        <ul className={styles.others}>
          {holders.slice(0, MAX_LISTED_APPLICATIONS).map(({ id, name }) => (
            <li key={id}>
              <button
                type="button"
                className="unstyled link"
                onClick={() => viewAsOwner(goTo('applications', id))}
              >
                <MarkedText text={name} />
              </button>
            </li>
          ))}
          {holders.length > MAX_LISTED_APPLICATIONS && (
            <li className="faint">{t.more(holders.length - MAX_LISTED_APPLICATIONS)}</li>
          )}
        </ul>
      )}
    </>
  )
}

type RuleVerdict = { grants: boolean; covers: boolean; decides: boolean; permission: string }

function describeVerdict({ grants, covers, decides, permission }: RuleVerdict): string {
  if (decides) return t.decides
  if (!covers) return t.notCovers
  return grants ? t.later : t.notGrants(permission)
}
