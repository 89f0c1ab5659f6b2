import type { Json } from '../../../shared/json.ts'
import type { RuleTransform } from '../../../shared/schemas/rule.ts'
import type { Subject } from '../access/access.ts'
import type { WorkBudget } from '../expressions/work-budget.ts'
import type { Context } from '../pipeline/context.ts'

/** Something other than a token whose value an expression uses, such as `{{ token_intent: <id> }}` (rules O-02, G-05). */
type SourceValue = {
  readonly id: string
  /** What the access rules decide about. */
  readonly subject: Subject
  /** The stored size in bytes. */
  readonly size: number
  /** Decrypts its data. SECURITY: the result is plaintext. */
  openData(): Json
  /** Presents it. SECURITY: `transform` alone decides how much of the data is shown. */
  presentValue(data: Json, transform: RuleTransform, work: WorkBudget): object
  /** Returns how `POST /detokenize` shows it. Throws `forbidden`. */
  requireReading(): RuleTransform
}

/** Finds the value with an id; undefined if there is none, or if it has expired. */
export type ExpressionSource = (context: Context, id: string) => SourceValue | undefined
