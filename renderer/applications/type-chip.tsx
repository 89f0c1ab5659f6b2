import type { ApplicationType } from '../../shared/permissions.ts'
import { strings } from '../strings.ts'
import { Chip } from '../ui/chip.tsx'

/** The type of an application. */
export function TypeChip({ type }: { type: ApplicationType }) {
  return <Chip title={strings.applications.typeHelp[type]}>{strings.applications.types[type]}</Chip>
}
