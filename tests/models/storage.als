/**
 * The order in which a vault writes, counts, answers, tells webhooks and shows plaintext, and what a killed process, a
 * power cut and a damaged disk leave of it. It has the steps of the code, but none of its data:
 *
 *   write, sync         electron/engine/pipeline/commit-queue.ts, electron/engine/db/log-sync.ts
 *   count, syncCount    electron/engine/db/commit-count.ts
 *   deliver             electron/engine/resources/webhooks/outbox.ts
 *   read, journal, show electron/engine/pipeline/record-journal.ts
 *   open                electron/engine/files/open-checked.ts
 *
 * `npm run model` checks it. Properties hold for up to three commits and three reads, in up to twelve steps.
 */
module storage

open util/ordering[Commit] as commits
open util/ordering[Read] as reads

/** Transactions, in the order of the write-ahead log. */
sig Commit {}
/** In the write-ahead log, and of these, confirmed by the disk. */
var sig Logged, Synced in Commit {}
/** In the file with the count, and of these, in the count that the disk has confirmed. */
var sig Counted, CountSynced in Commit {}
/** Told to their callers as done, and told to webhooks. */
var sig Answered, Delivered in Commit {}
/** Confirmed by the disk, and then lost or changed by it. */
var sig Damaged in Commit {}

/** Reads of plaintext, in the order of their serial numbers, and the commit that holds the record of each. */
sig Read { var record: lone Commit }
/** Their records wait in memory for a commit. */
var sig Waiting in Read {}
/** Their records are in the journal, which is never synced. */
var sig Journaled in Read {}
/** Their plaintext was answered. */
var sig Shown in Read {}

abstract sig Phase {}
one sig Running, Killed, PowerLost, Refused extends Phase {}
one var sig Now in Phase {}

/** Mistakes in the order of the steps. Each must break a property, or the property proves nothing. */
abstract sig Mistake {}
lone sig CountsBeforeSync, AnswersBeforeSync, AnswersBeforeCount, DeliversBeforeSync, ShowsBeforeJournal,
  WritesBeforeSync, OpensWithoutCount extends Mistake {}

fact init {
  Now = Running
  no Logged + Synced + Counted + CountSynced + Answered + Delivered + Damaged
  no Waiting + Journaled + Shown
  no record
}

fun readable: set Commit { { c: Logged - Damaged | commits/prevs[c] in Logged - Damaged } }

// Steps of a running vault. The first line of each says when it is possible.

pred write[c: Commit] {
  Now = Running and c = commits/min[Commit - Logged] and (Logged = Synced or some WritesBeforeSync)
  // The records that wait longest are part of the commit.
  Waiting' in Waiting
  let taken = Waiting - Waiting' {
    all r: taken | reads/prevs[r] & Waiting in taken
    record' = record + taken -> c
  }
  Logged' = Logged + c
  Now' = Now and Synced' = Synced and keepCount and keepTold and keepDisk and keepShown
}

pred sync {
  Now = Running and Synced != Logged
  Synced' = Logged
  Now' = Now and Logged' = Logged and keepCount and keepTold and keepDisk and keepReads
}

pred count {
  Now = Running
  Counted' = (some CountsBeforeSync => Logged else Synced)
  CountSynced' = CountSynced
  Now' = Now and keepLog and keepTold and keepDisk and keepReads
}

pred syncCount {
  Now = Running
  CountSynced' = Counted and Counted' = Counted
  Now' = Now and keepLog and keepTold and keepDisk and keepReads
}

pred answer[c: Commit] {
  Now = Running
  c in (some AnswersBeforeSync => Logged else some AnswersBeforeCount => Synced else Counted)
  Answered' = Answered + c and Delivered' = Delivered
  Now' = Now and keepLog and keepCount and keepDisk and keepReads
}

pred deliver[c: Commit] {
  Now = Running and c in (some DeliversBeforeSync => Logged else Synced)
  Delivered' = Delivered + c and Answered' = Answered
  Now' = Now and keepLog and keepCount and keepDisk and keepReads
}

pred read[r: Read] {
  Now = Running and r = reads/min[Read - Waiting - Journaled - record.Commit]
  Waiting' = Waiting + r and record' = record and keepShown
  Now' = Now and keepLog and keepCount and keepTold and keepDisk
}

pred journal {
  Now = Running and some Waiting
  Journaled' = Journaled + Waiting and Waiting' = Waiting and record' = record and Shown' = Shown
  Now' = Now and keepLog and keepCount and keepTold and keepDisk
}

pred show[r: Read] {
  Now = Running and r in Journaled + (some ShowsBeforeJournal => Waiting else none)
  Shown' = Shown + r and Journaled' = Journaled and Waiting' = Waiting and record' = record
  Now' = Now and keepLog and keepCount and keepTold and keepDisk
}

// What can happen to it.

/** The system keeps what the process has written. */
pred kill {
  Now = Running
  Now' = Killed and no Waiting' and record' = record and keepShown
  keepLog and keepCount and keepTold and keepDisk
}

/** Of what was not synced, anything may be lost, in any order. The count is a single number. */
pred losePower {
  Now = Running
  Now' = PowerLost and no Waiting' and record' = record and Shown' = Shown
  Logged' in Logged and Synced in Logged' and Synced' = Synced
  Journaled' in Journaled
  CountSynced' = CountSynced and (Counted' = Counted or Counted' = CountSynced)
  keepTold and keepDisk
}

pred damage[c: Commit] {
  Now in Killed + PowerLost and c in Synced
  Damaged' = Damaged + c
  Now' = Now and keepLog and keepCount and keepTold and keepReads
}

/** Opens with what can be read of the log, or refuses if the count names more. */
pred openVault {
  Now in Killed + PowerLost
  (Counted in readable or some OpensWithoutCount) => reopen else refuse
}

pred reopen {
  Now in Killed + PowerLost and Now' = Running
  Logged' = readable and Synced' = readable and Counted' = readable and CountSynced' = readable
  record' = record :> readable
  // The records that are only in the journal wait for the next commit.
  Waiting' = Journaled - record'.Commit
  // What is lost is lost once; the damaged end of the log is cut off.
  Answered' = Answered & readable and Delivered' = Delivered & readable and Shown' = Shown & (record'.Commit + Waiting')
  no Damaged' and Journaled' = Journaled
}

pred refuse {
  Now' = Refused
  keepLog and keepCount and keepTold and keepDisk and keepReads
}

pred stay { Now' = Now and keepLog and keepCount and keepTold and keepDisk and keepReads }

pred keepLog { Logged' = Logged and Synced' = Synced }
pred keepCount { Counted' = Counted and CountSynced' = CountSynced }
pred keepTold { Answered' = Answered and Delivered' = Delivered }
pred keepDisk { Damaged' = Damaged }
pred keepShown { Journaled' = Journaled and Shown' = Shown }
pred keepReads { record' = record and Waiting' = Waiting and keepShown }

fact transitions {
  always (
    (some c: Commit | write[c] or answer[c] or deliver[c] or damage[c]) or
    (some r: Read | read[r] or show[r]) or
    sync or count or syncCount or journal or kill or losePower or openVault or stay
  )
}

// What holds.

/** X-24 No answered write is lost when the process is killed or the power fails. */
pred keepsAnswered { always (no Damaged and reopen implies Answered in readable) }

/** X-42 A vault on a healthy disk is never refused. */
pred opensWhole { always (Now = Refused implies some Damaged) }

/** X-41 A loss of answered writes is noticed; after a power cut, as far as the synced count names them. */
pred noticesDamage {
  always (reopen implies (Answered & (Now = Killed implies Commit else CountSynced)) in readable)
}

/** A webhook hears of no change that a power cut undoes. */
pred tellsTruth { always (no Damaged and reopen implies Delivered in readable) }

/** X-44 Plaintext that was shown has its record, also if the process is killed at once. */
pred recordsShown {
  always (no Damaged and Now = Killed and reopen implies Shown in record'.Commit + Waiting')
}

/** A power cut leaves at most one unfinished commit. */
pred losesOne { always (losePower implies lone (Logged - Synced)) }

check keepsAnsweredHolds { no Mistake implies keepsAnswered } for 3 Commit, 3 Read, 0 Mistake, 12 steps expect 0
check opensWholeHolds { no Mistake implies opensWhole } for 3 Commit, 3 Read, 0 Mistake, 12 steps expect 0
check noticesDamageHolds { no Mistake implies noticesDamage } for 3 Commit, 3 Read, 0 Mistake, 12 steps expect 0
check tellsTruthHolds { no Mistake implies tellsTruth } for 3 Commit, 3 Read, 0 Mistake, 12 steps expect 0
check recordsShownHolds { no Mistake implies recordsShown } for 3 Commit, 3 Read, 0 Mistake, 12 steps expect 0
check losesOneHolds { no Mistake implies losesOne } for 3 Commit, 3 Read, 0 Mistake, 12 steps expect 0

// Without mistakes, all of this can happen, so that the properties hold of something.

run Happens {
  eventually (some Damaged and Now = Refused)
  eventually reopen
  eventually some Answered and eventually some Delivered and eventually some Shown & record.Commit
} for 3 Commit, 3 Read, 0 Mistake, 14 steps expect 1

// Each mistake breaks a property.

check CountsBeforeSyncFails { some CountsBeforeSync implies opensWhole } for 3 Commit, 3 Read, exactly 1 Mistake, exactly 1 CountsBeforeSync, 10 steps expect 1
check AnswersBeforeSyncFails { some AnswersBeforeSync implies keepsAnswered } for 3 Commit, 3 Read, exactly 1 Mistake, exactly 1 AnswersBeforeSync, 10 steps expect 1
check AnswersBeforeCountFails { some AnswersBeforeCount implies noticesDamage } for 3 Commit, 3 Read, exactly 1 Mistake, exactly 1 AnswersBeforeCount, 10 steps expect 1
check DeliversBeforeSyncFails { some DeliversBeforeSync implies tellsTruth } for 3 Commit, 3 Read, exactly 1 Mistake, exactly 1 DeliversBeforeSync, 10 steps expect 1
check ShowsBeforeJournalFails { some ShowsBeforeJournal implies recordsShown } for 3 Commit, 3 Read, exactly 1 Mistake, exactly 1 ShowsBeforeJournal, 10 steps expect 1
check OpensWithoutCountFails { some OpensWithoutCount implies noticesDamage } for 3 Commit, 3 Read, exactly 1 Mistake, exactly 1 OpensWithoutCount, 10 steps expect 1
check WritesBeforeSyncFails { some WritesBeforeSync implies losesOne } for 3 Commit, 3 Read, exactly 1 Mistake, exactly 1 WritesBeforeSync, 10 steps expect 1
