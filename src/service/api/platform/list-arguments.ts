/** Which part of a list a client asks for. */
export interface PageArguments {
  readonly first?: number | null
  /** The cursor of the last item of the page before. */
  readonly after?: string | null
}

/** Which files a client asks for. */
export interface FileArguments extends PageArguments {
  readonly names?: readonly string[] | null
}

/** What a caller asks of a list that it may filter and order. */
export interface ListArguments extends PageArguments {
  readonly filters?: string | null
  readonly order?: string | null
}
