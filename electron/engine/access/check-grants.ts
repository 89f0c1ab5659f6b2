import { normalizeContainer } from '../../../shared/containers.ts'
import { CofferError, type FieldErrors } from '../../../shared/errors.ts'
import { type ApplicationType, mayHold, type Permission } from '../../../shared/permissions.ts'
import type { AccessRule, newRule, RuleCondition } from '../../../shared/schemas/rule.ts'
import type { z } from '../../../shared/zod.ts'

type NewRule = z.output<typeof newRule>

/** The grants of an application of a given type, or of a session. */
export type GrantsToCheck = {
  readonly holder: ApplicationType | 'session'
  readonly permissions: readonly Permission[]
  readonly rules: readonly NewRule[]
}

/**
 * Checks permissions and rules together (rules P-02, P-03, P-05, P-06). Returns the rules as stored: with normalized
 * containers, in ascending order of priority. Throws one `invalid` error that names every invalid field.
 */
export function checkGrants({ holder, permissions, rules }: GrantsToCheck): AccessRule[] {
  const errors: FieldErrors = {}
  const addError = (path: string, message: string) => {
    errors[path] = [...new Set([...(errors[path] ?? []), message])]
  }
  if (permissions.length === 0 && rules.length === 0) {
    addError('permissions', 'must not be empty unless there are rules')
  }
  if (holder === 'management' && rules.length > 0) {
    addError('rules', 'must be empty for a management application; give it permissions')
  }
  const type = holder === 'session' ? 'private' : holder
  const checkPermissions = (granted: readonly Permission[], path: string) => {
    for (const [index, each] of granted.entries()) {
      if (!mayHold(type, each))
        addError(
          `${path}[${index}]`,
          `names ${each}, which a ${holder}${holder === 'session' ? '' : ' application'} may not hold`,
        )
    }
  }
  checkPermissions(permissions, 'permissions')
  const priorities = new Set<number>()
  const checked = rules.map((rule, index): AccessRule => {
    const path = `rules[${index}]`
    // SECURITY: every token would match an empty list of conditions.
    const conditions = rule.conditions?.length ? rule.conditions.map(toStoredCondition) : undefined
    if (priorities.has(rule.priority)) addError(`${path}.priority`, 'must be unique within the application')
    priorities.add(rule.priority)
    checkPermissions(rule.permissions, `${path}.permissions`)
    const problem = findScopeProblem(rule, conditions !== undefined, holder)
    if (problem) addError(`${path}${problem.member}`, problem.message)
    let container: string | undefined
    try {
      container = rule.container && normalizeContainer(rule.container, `${path}.container`)
    } catch (error) {
      if (!(error instanceof CofferError)) throw error
      Object.assign(errors, error.errors)
    }
    return {
      ...(rule.description !== undefined && { description: rule.description }),
      priority: rule.priority,
      ...(container !== undefined && { container }),
      ...(conditions !== undefined && { conditions }),
      transform: rule.transform,
      permissions: [...new Set(rule.permissions)],
    }
  })
  if (Object.keys(errors).length > 0) {
    throw new CofferError('invalid', `The grants are not valid: ${Object.keys(errors).join(', ')}.`, {
      errors,
    })
  }
  return checked.sort((a, b) => a.priority - b.priority)
}

/** Returns why a rule may not cover the tokens that it names; undefined if it may. */
function findScopeProblem(
  { container }: NewRule,
  hasConditions: boolean,
  holder: GrantsToCheck['holder'],
): { readonly member: string; readonly message: string } | undefined {
  const hasContainer = container !== undefined
  if (hasConditions && hasContainer)
    return { member: '.conditions', message: 'cannot be combined with container' }
  if (hasConditions && holder !== 'session')
    return { member: '.conditions', message: 'is only allowed in the rules of a session' }
  if (!hasContainer && holder !== 'session') return { member: '.container', message: 'is required' }
  if (!hasContainer && !hasConditions) return { member: '', message: 'needs a container or conditions' }
  return undefined
}

/** Converts a condition to the form in which it is compared: containers in lower case (rule P-07), ids unchanged. */
function toStoredCondition(condition: RuleCondition): RuleCondition {
  if (condition.attribute === 'id') return condition
  // SECURITY: converts only characters that containers may have, so that no other character becomes one of
  // them.
  return { ...condition, value: condition.value.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) }
}
