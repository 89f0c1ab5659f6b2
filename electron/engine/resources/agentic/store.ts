import type { CredentialType, EnrollmentType } from '../../../../shared/schemas/agentic.ts'
import { recordBulkChange, recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { selectValue, sql } from '../../db/statement.ts'
import { defineTable } from '../crud.ts'
import type { EnrollmentState, InstructionState } from './steps.ts'

type CreatedRow = { id: string; created_by: string | null; created_at: number }

export type AgentRow = CreatedRow & {
  name: string
  /** JSON as requested. */
  instance_details: string | null
}

export type EnrollmentRow = CreatedRow & {
  token_id: string
  type: EnrollmentType
  provider: string
  wallet_name: string
  state: EnrollmentState
  /** When the verification last went on. */
  stepped_at: number
  /** The random part of the URL of the network's page; null unless that page is open. */
  redirect_key: string | null
  /** Sealed JSON of `EnrollmentContent`. */
  content: Buffer
}

export type InstructionRow = CreatedRow & {
  agent_id: string
  enrollment_id: string
  credential_type: CredentialType
  state: InstructionState
  /** Sealed JSON of `InstructionContent`. */
  content: Buffer
  expires_at: number | null
}

type Listed<Row> = Row & { readonly seq: number }

const agentEditable = 'name, instance_details'
const agentColumns = `id, created_by, created_at, ${agentEditable}`
const enrollmentEditable = 'state, stepped_at, redirect_key, content'
const enrollmentColumns = `id, token_id, type, provider, wallet_name, created_by, created_at, ${enrollmentEditable}`
const instructionEditable = 'state, content, expires_at'
const instructionColumns = `id, agent_id, enrollment_id, credential_type, created_by, created_at, ${instructionEditable}`

export const agentTable = defineTable<AgentRow>('agent', agentColumns, agentEditable)
export const enrollmentTable = defineTable<EnrollmentRow>('enrollment', enrollmentColumns, enrollmentEditable)
const instructionTable = defineTable<InstructionRow>('instruction', instructionColumns, instructionEditable)
export const { insertRow: insertInstruction, updateRow: updateInstruction } = instructionTable

/** Lists up to `limit` agents, newest first, with how many enrollments each has. */
export function listAgents(db: Database, limit: number): (AgentRow & { readonly enrollments: number })[] {
  const count = 'SELECT count(*) FROM agent_enrollment WHERE agent_id = agent.id'
  const query = `SELECT ${agentColumns}, (${count}) AS enrollments FROM agent ORDER BY seq DESC LIMIT ?`
  return sql<AgentRow & { readonly enrollments: number }>(db, query).all(limit)
}

export function countAgents(db: Database): number {
  return selectValue<number>(db, 'SELECT count(*) FROM agent', {})
}

/** Deletes an agent with its instructions. Its enrollments stay. */
export function deleteAgent(db: Database, id: string): void {
  sql(db, 'DELETE FROM agent_enrollment WHERE agent_id = ?').run(id)
  if (sql(db, 'DELETE FROM instruction WHERE agent_id = ?').run(id).changes > 0)
    recordBulkChange(db, 'instruction', 'deleted')
  agentTable.deleteRow(db, id)
}

export function listEnrollmentIds(db: Database, agent_id: string): string[] {
  const query = 'SELECT enrollment_id FROM agent_enrollment WHERE agent_id = ? ORDER BY rowid'
  return sql<string>(db, query).pluck().all(agent_id)
}

export function listAgentIds(db: Database, enrollment_id: string): string[] {
  const query = 'SELECT agent_id FROM agent_enrollment WHERE enrollment_id = ? ORDER BY rowid'
  return sql<string>(db, query).pluck().all(enrollment_id)
}

export function linkEnrollment(db: Database, agent_id: string, enrollment_id: string): void {
  sql(db, 'INSERT OR IGNORE INTO agent_enrollment VALUES (?, ?)').run(agent_id, enrollment_id)
  recordChange(db, 'enrollment', 'updated', enrollment_id)
}

/** Replaces the enrollments of an agent. */
export function replaceEnrollments(db: Database, agent_id: string, enrollment_ids: readonly string[]): void {
  sql(db, 'DELETE FROM agent_enrollment WHERE agent_id = ?').run(agent_id)
  for (const enrollment_id of enrollment_ids) linkEnrollment(db, agent_id, enrollment_id)
}

/** Removes an enrollment from every agent. */
export function unlinkEnrollment(db: Database, enrollment_id: string): void {
  sql(db, 'DELETE FROM agent_enrollment WHERE enrollment_id = ?').run(enrollment_id)
}

/** Lists up to `limit` enrollments, newest first, without deleted ones. `before` is a row number. */
export function listEnrollments(db: Database, limit: number, before: number | null): Listed<EnrollmentRow>[] {
  const query = `SELECT seq, ${enrollmentColumns} FROM enrollment
    WHERE state <> 'deleted' AND (@before IS NULL OR seq < @before) ORDER BY seq DESC LIMIT @limit`
  return sql<Listed<EnrollmentRow>>(db, query).all({ limit, before })
}

/** Returns the enrollment whose network's page has this key, or undefined. */
export function findRedirect(db: Database, key: string): EnrollmentRow | undefined {
  const query = `SELECT ${enrollmentColumns} FROM enrollment WHERE redirect_key = ?`
  return sql<EnrollmentRow>(db, query).get(key)
}

export function findInstruction(db: Database, agent_id: string, id: string): InstructionRow | undefined {
  const row = instructionTable.findRow(db, id)
  return row?.agent_id === agent_id ? row : undefined
}

/** Lists up to `limit` instructions of an agent, newest first, of one enrollment if `enrollment_id` is set. */
export function listInstructions(
  db: Database,
  { agent_id, enrollment_id = null }: { agent_id: string; enrollment_id?: string | null | undefined },
  limit: number,
  before: number | null,
): Listed<InstructionRow>[] {
  const query = `SELECT seq, ${instructionColumns} FROM instruction
    WHERE agent_id = @agent_id AND (@enrollment_id IS NULL OR enrollment_id = @enrollment_id)
      AND (@before IS NULL OR seq < @before) ORDER BY seq DESC LIMIT @limit`
  return sql<Listed<InstructionRow>>(db, query).all({ agent_id, enrollment_id, limit, before })
}

export function countInstructions(db: Database, agent_id: string): number {
  const query = 'SELECT count(*) FROM instruction WHERE agent_id = @agent_id'
  return selectValue<number>(db, query, { agent_id })
}
