import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { root } from './pages.js'

interface Message {
  id?: number
  method?: string
  result?: unknown
  error?: { message: string }
}

interface Completions {
  items: { label: string }[]
}

/** The language server of TypeScript, as editors start it. It ends with the test. */
export class LanguageServer {
  readonly #folder: string
  readonly #process
  readonly #waiting = new Map<number, (message: Message) => void>()
  #received = Buffer.alloc(0)
  #sent = 0
  #files = 0

  constructor(folder: string) {
    this.#folder = folder
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    this.#process = spawn(process.execPath, [tsc, '--lsp', '--stdio'], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#process.stdout.on('data', (part: Buffer) => {
      this.#received = Buffer.concat([this.#received, part])
      for (let message = this.#next(); message; message = this.#next()) this.#take(message)
    })
    onTestFinished(() => void this.#process.kill())
  }

  async start(): Promise<void> {
    const rootUri = pathToFileURL(this.#folder).href
    await this.#request('initialize', {
      processId: process.pid,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: 'project' }],
      capabilities: { textDocument: { completion: { completionItem: {} } } },
    })
    this.#send({ method: 'initialized', params: {} })
  }

  /** Returns what the server offers at each mark `|` of a module. */
  async completions(marked: string): Promise<string[][]> {
    const parts = marked.split('|')
    const text = parts.join('')
    this.#files++
    const file = join(this.#folder, `file-${this.#files}.ts`)
    writeFileSync(file, text)
    const uri = pathToFileURL(file).href
    this.#send({
      method: 'textDocument/didOpen',
      params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
    })
    const found: string[][] = []
    for (let mark = 1; mark < parts.length; mark++) {
      const before = parts.slice(0, mark).join('').split('\n')
      found.push(await this.#completionsAt(uri, before.length - 1, before.at(-1)!.length))
    }
    return found
  }

  async #completionsAt(uri: string, line: number, character: number): Promise<string[]> {
    const asked = { textDocument: { uri }, position: { line, character } }
    const found = (await this.#request('textDocument/completion', asked)) as
      | Completions
      | Completions['items']
      | null
    const items = Array.isArray(found) ? found : (found?.items ?? [])
    return items.map(({ label }) => label.replace(/\?$/, ''))
  }

  async #request(method: string, params: object): Promise<unknown> {
    this.#sent++
    const id = this.#sent
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve))
    this.#send({ id, method, params })
    const { result, error } = await answer
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }

  #send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    this.#process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    this.#process.stdin.write(body)
  }

  /** Takes the next complete message from what was received. */
  #next(): Message | undefined {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [, length] = /Content-Length: (\d+)/i.exec(this.#received.toString('latin1', 0, end))!
    const start = end + 4
    const stop = start + Number(length)
    if (this.#received.length < stop) return undefined
    const message = JSON.parse(this.#received.toString('utf8', start, stop)) as Message
    this.#received = this.#received.subarray(stop)
    return message
  }

  #take(message: Message): void {
    if (message.id === undefined) return
    // The server asks as well, for example for its settings. It gets no answer but null.
    if (message.method !== undefined) this.#send({ id: message.id, result: null })
    else this.#waiting.get(message.id)?.(message)
  }
}
