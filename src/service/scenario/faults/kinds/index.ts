import type { FaultDefinition } from '../definition.js'
import { concurrency } from './concurrency.js'
import { contentType } from './content-type.js'
import { delay } from './delay.js'
import { drop } from './drop.js'
import { edit } from './edit.js'
import { failJob } from './fail-job.js'
import { hang } from './hang.js'
import { jobLimit } from './job-limit.js'
import { malformed } from './malformed.js'
import { pageArrivals } from './page-arrivals.js'
import { pageEmpty } from './page-empty.js'
import { pageLimit } from './page-limit.js'
import { pageOverlap } from './page-overlap.js'
import { pageRepeat } from './page-repeat.js'
import { pageRestart } from './page-restart.js'
import { pageStale } from './page-stale.js'
import { rateLimit } from './rate-limit.js'
import { status } from './status.js'
import { trickle } from './trickle.js'

/** The kinds of faults, as the schema and the reference list them. */
export const faultKinds = {
  status,
  delay,
  drop,
  hang,
  edit,
  malformed,
  content_type: contentType,
  trickle,
  rate_limit: rateLimit,
  concurrency,
  job_limit: jobLimit,
  fail_job: failJob,
  page_overlap: pageOverlap,
  page_restart: pageRestart,
  page_empty: pageEmpty,
  page_repeat: pageRepeat,
  page_stale: pageStale,
  page_arrivals: pageArrivals,
  page_limit: pageLimit,
}

/** The name of a kind of fault. */
export type FaultKind = keyof typeof faultKinds

export function faultDefinition(kind: FaultKind): FaultDefinition {
  return faultKinds[kind]
}
