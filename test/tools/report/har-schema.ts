const text = { type: 'string' }
const count = { type: 'number', minimum: -1 }
const moment = {
  type: 'string',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`,
}

function object(required: Record<string, object>, optional: Record<string, object> = {}): object {
  const comment = { comment: text }
  return {
    type: 'object',
    properties: { ...comment, ...required, ...optional },
    required: Object.keys(required),
    // The format reserves names with an underscore for tools.
    patternProperties: { '^_': {} },
    additionalProperties: false,
  }
}

function list(items: object): object {
  return { type: 'array', items }
}

const field = object({ name: text, value: text })
const message = {
  httpVersion: text,
  cookies: list(field),
  headers: list(field),
  headersSize: count,
  bodySize: count,
}

/** The objects of HAR 1.2 that the emulator writes: http://www.softwareishard.com/blog/har-12-spec/ */
export const harSchema = object({
  log: object(
    {
      version: { const: '1.2' },
      creator: object({ name: text, version: text }),
      entries: list(
        object(
          {
            startedDateTime: moment,
            time: { type: 'number', minimum: 0 },
            request: object(
              {
                ...message,
                method: text,
                url: { type: 'string', pattern: '^https?://' },
                queryString: list(field),
              },
              { postData: object({ mimeType: text, text }) },
            ),
            response: object({
              ...message,
              status: { type: 'integer', minimum: 0 },
              statusText: text,
              content: object({ size: count, mimeType: text, text }),
              redirectURL: text,
            }),
            cache: object({}),
            timings: object({ send: count, wait: count, receive: count }),
          },
          { pageref: text },
        ),
      ),
    },
    {
      pages: list(
        object({ startedDateTime: moment, id: text, title: text, pageTimings: object({}) }),
      ),
    },
  ),
})
