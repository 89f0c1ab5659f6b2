import { Fragment } from 'react'
import { type ApplicationType, mayHold, type Permission } from '../../../../shared/permissions.ts'
import { useApplications } from '../../../parts/access/application-names.ts'
import { getPermissionVerb } from '../../../parts/access/permission-groups.ts'
import { LinkButton } from '../../../parts/navigation/link-button.tsx'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { Caution } from '../../../ui/failure.tsx'
import { MarkedText } from '../../../ui/text/marked-text.tsx'
import { actions } from './actions.ts'
import { strings as t } from './strings.ts'

const MAX_LISTED_APPLICATIONS = 4

/** Says what a public key can never do, and which applications can. Renders nothing for other types. */
export function NeverAllowed({ type }: { type: ApplicationType }) {
  const { rows } = useApplications()
  if (type !== 'public') return null
  const never: readonly Permission[] = actions.filter((each) => !mayHold(type, each))
  const others = rows.filter((each) => each.type === 'private')
  const verbs = new Intl.ListFormat('en', { type: 'disjunction' }).format(never.map(getPermissionVerb))
  return (
    <Caution>
      {t.never(verbs)} {others.length === 0 ? t.neverNone : t.neverUse}{' '}
      {others.slice(0, MAX_LISTED_APPLICATIONS).map(({ id, name }) => (
        <Fragment key={id}>
          <LinkButton to={toHref('applications', id)} label={<MarkedText text={name} />} />{' '}
        </Fragment>
      ))}
      {others.length > MAX_LISTED_APPLICATIONS && t.neverMore(others.length - MAX_LISTED_APPLICATIONS)}
    </Caution>
  )
}
