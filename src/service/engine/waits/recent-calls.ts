/** More calls than this are not remembered: a client may call as long as it runs. */
const MOST = 100

/** What is known of calls, by what tells them apart. The oldest are forgotten. */
export class RecentCalls<Known> extends Map<string, Known> {
  override set(call: string, known: Known): this {
    super.set(call, known)
    if (this.size > MOST) this.delete(this.keys().next().value!)
    return this
  }
}
