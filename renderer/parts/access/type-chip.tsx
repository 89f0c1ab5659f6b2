import type { ApplicationType } from '../../../shared/permissions.ts'
import { Chip } from '../../ui/chip.tsx'
import { strings } from './strings.ts'

export function TypeChip({ type }: { type: ApplicationType }) {
  return <Chip title={strings.typeHelp[type]}>{strings.types[type]}</Chip>
}
