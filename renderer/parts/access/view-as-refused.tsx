import type { Permission } from '../../../shared/permissions.ts'
import { Failure } from '../../ui/failure.tsx'
import screenStyles from '../../ui/screen.module.css'
import { ConsideredRules } from './considered-rules.tsx'
import { strings } from './strings.ts'
import { useViewAs } from './view-as.ts'

/** Explains, without sending a request, the 403 that the application's key would get. */
export function ViewAsRefused({ permission }: { permission: Permission }) {
  const { as } = useViewAs()
  if (!as) return null
  return (
    <div className={screenStyles.listFailure}>
      <Failure>{strings.viewAs.refused(permission)}</Failure>
      <ConsideredRules application_id={as.id} permission={permission} on={null} />
    </div>
  )
}
