/**
 * What one server offers beside tools: resources, templates, prompts, skills. A list is read at its first
 * use, never at the start, and kept until the server says that it changed.
 */
import type { Clock } from '../base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { type Ask, type ItemList, readPages } from '../mcp/pages.ts';
import { getPrompt, listPrompts, type PromptItem, type PromptRead } from '../mcp/prompts.ts';
import {
  listResources,
  listTemplates,
  type ResourceItem,
  type ResourceRead,
  readResource,
  type TemplateItem,
} from '../mcp/resources.ts';
import type { Connection, ServerRequestOptions } from '../mcp/types.ts';
import { declaresSkills, listSkills, type SkillList } from '../skills/list.ts';
import type { SkillPorts } from '../skills/types.ts';

export type OfferKind = 'resources' | 'prompts' | 'skills';
type ListKind = OfferKind | 'templates';

/** How long a list is kept where the server does not announce changes. */
const FRESH_MS = 60_000;
/** Where it does: an announcement may be lost with its stream. */
const ANNOUNCED_MS = 10 * 60_000;
const NOTHING = { items: [], dropped: [], notices: [] };

interface Kept {
  readonly list: ItemList<object> | SkillList;
  /** By the clock. */
  readonly untilMs: number;
}

export class ServerOffers {
  readonly connection: Connection;
  readonly #clock: Clock;
  readonly #kept = new Map<ListKind, Kept>();
  /** Counts what made kept lists old: one that was asked for before is not kept. */
  #changes = 0;

  constructor(connection: Connection, clock: Clock) {
    this.connection = connection;
    this.#clock = clock;
  }

  get name(): string {
    return this.connection.name;
  }

  /** True when the server is ready and says that it has them; skills may also be plain resources. */
  offers(kind: OfferKind): boolean {
    const { state, capabilities } = this.connection.status();
    if (state !== 'ready') return false;
    if (kind === 'skills') return declaresSkills(capabilities) || this.offers('resources');
    return isJsonObject(capabilities[kind]);
  }

  /** All lists reject as `Connection.request` does; what the server does not offer is empty. */
  resources(signal: AbortSignal): Promise<ItemList<ResourceItem>> {
    if (!this.offers('resources')) return Promise.resolve(NOTHING);
    return this.#keep('resources', () => listResources(this.#ask({ signal })));
  }

  templates(signal: AbortSignal): Promise<ItemList<TemplateItem>> {
    if (!this.offers('resources')) return Promise.resolve(NOTHING);
    return this.#keep('templates', () => listTemplates(this.#ask({ signal })));
  }

  prompts(signal: AbortSignal): Promise<ItemList<PromptItem>> {
    if (!this.offers('prompts')) return Promise.resolve(NOTHING);
    return this.#keep('prompts', () => listPrompts(this.#ask({ signal })));
  }

  /** Reads no file of a skill. */
  skills(signal: AbortSignal): Promise<SkillList> {
    return this.#keep('skills', async () => {
      const { items } = await this.resources(signal);
      return listSkills(this.skillPorts({ signal }), this.hasSkillExtension(), items);
    });
  }

  hasSkillExtension(): boolean {
    return declaresSkills(this.connection.status().capabilities);
  }

  read(uri: string, options: ServerRequestOptions): Promise<ResourceRead> {
    return readResource(this.#ask(options), uri);
  }

  prompt(name: string, args: JsonObject, options: ServerRequestOptions): Promise<PromptRead> {
    return getPrompt(this.#ask(options), name, args);
  }

  /** `onRead` gets each result as received. */
  skillPorts(
    options: ServerRequestOptions,
    onRead: (raw: JsonValue) => void = () => undefined,
  ): SkillPorts {
    const ask = this.#ask(options);
    return {
      async listAll(method, key) {
        const kind = { method, key, adapt: (raw: JsonValue) => ({ raw }), idOf: () => undefined };
        const { items, notices } = await readPages(ask, kind);
        return { items: items.map(({ raw }) => raw), notices };
      },
      async getEntry(uri) {
        const answer = await ask('skills/get', { uri });
        return isJsonObject(answer) ? (answer['skill'] ?? null) : null;
      },
      async read(uri) {
        const { contents, raw } = await readResource(ask, uri);
        onRead(raw);
        return contents;
      },
    };
  }

  /** Lists of resources go with those of templates and skills; without `kind` all go. */
  forget(kind?: 'resources' | 'prompts'): void {
    this.#changes += 1;
    if (kind !== 'resources') this.#kept.delete('prompts');
    if (kind === 'prompts') return;
    for (const one of ['resources', 'templates', 'skills'] as const) this.#kept.delete(one);
  }

  #ask(options: ServerRequestOptions): Ask {
    return (method, params) => this.connection.request(method, params, options);
  }

  async #keep<T extends ItemList<object> | SkillList>(
    kind: ListKind,
    read: () => Promise<T>,
  ): Promise<T> {
    const known = this.#kept.get(kind);
    // A kind is kept by its own method only, so the list is of its type.
    if (known !== undefined && this.#clock.now() < known.untilMs) return known.list as T;
    const before = this.#changes;
    const list = await read();
    if (before === this.#changes) {
      const keptMs = this.#announcesChanges(kind) ? ANNOUNCED_MS : FRESH_MS;
      this.#kept.set(kind, { list, untilMs: this.#clock.now() + keptMs });
    }
    return list;
  }

  #announcesChanges(kind: ListKind): boolean {
    const { capabilities } = this.connection.status();
    const declared = capabilities[kind === 'prompts' ? 'prompts' : 'resources'];
    return isJsonObject(declared) && declared['listChanged'] === true;
  }
}
