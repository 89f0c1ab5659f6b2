import { compileExpression, evaluateTemplate } from '../../electron/engine/expressions/template.ts'
import { WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import type { Json } from '../../shared/json.ts'

/** Evaluates an expression that passes the data through these filters. */
export function evaluateFilters(filters: string, data: Json): Json {
  return evaluateTemplate(new WorkBudget(), compileExpression(new WorkBudget(), `{{ data | ${filters} }}`), {
    data,
  })
}
