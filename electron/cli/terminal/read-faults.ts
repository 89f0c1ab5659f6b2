import { type FaultRule, faultRules } from '../../../shared/schemas/fault.ts'
import { z } from '../../../shared/zod.ts'
import { readYaml } from '../../host/files/yaml-file.ts'

/** Reads fault rules from a file: a list, or an object with `rules` as for `PUT /_coffer/faults`. */
export function readFaults(file: string): FaultRule[] {
  const { value } = readYaml(file, z.unknown())
  const isUnderRules = typeof value === 'object' && value !== null && 'rules' in value
  return isUnderRules ? readYaml(file, faultRules).value.rules : readYaml(file, faultRules.shape.rules).value
}
