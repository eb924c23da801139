/** Which symbols a formula in TeX uses: letters with their accents and scripts, and names such as \mathrm{corr}. */

const kAccents = ['mathcal', 'mathbb', 'mathbf', 'boldsymbol', 'tilde', 'widetilde', 'hat', 'widehat', 'bar', 'overline', 'underline', 'vec', 'dot'];
const kNames = ['mathrm', 'operatorname', 'text'], kSkipped = ['begin', 'end'];
const kGreek = {
  α: 'alpha', β: 'beta', γ: 'gamma', δ: 'delta', ε: 'varepsilon', ζ: 'zeta', η: 'eta', θ: 'theta', κ: 'kappa', λ: 'lambda', μ: 'mu', ν: 'nu', ξ: 'xi', π: 'pi', ρ: 'rho', σ: 'sigma', τ: 'tau', φ: 'varphi', χ: 'chi', ψ: 'psi', ω: 'omega',
  Γ: 'Gamma', Δ: 'Delta', Θ: 'Theta', Λ: 'Lambda', Π: 'Pi', Σ: 'Sigma', Φ: 'Phi', Ψ: 'Psi', Ω: 'Omega', ϵ: 'epsilon', ϕ: 'phi', ℓ: 'ell',
};
const kLetters = new Set(Object.values(kGreek)), kOperators = ['circ', 'odot', 'otimes', 'oplus', 'perp', 'partial', 'nabla', 'lVert'];

/** [{base, sub, sup: as written, without blanks; within: {sub, sup}: the symbols inside; optional: it need not be explained}] */
export function symbolsOf(tex) {
  const tokens = tex.match(/\\[A-Za-z]+\*?|\\.|[^\s]/gu) ?? [], found = [];
  let at = 0;
  const argument = () => {
    if (tokens[at] !== '{') return tokens[at]?.startsWith('\\') && (kAccents.includes(tokens[at].slice(1)) || kNames.includes(tokens[at].slice(1))) ? [tokens[at++], ...argument()] : [tokens[at++]];
    const from = ++at;
    for (let depth = 1; at < tokens.length; ++at) {
      depth += tokens[at] === '{' ? 1 : tokens[at] === '}' ? -1 : 0;
      if (!depth) return tokens.slice(from, at++);
    }
    return tokens.slice(from);
  };
  const plain = (list) => list.filter((token) => !kNames.includes(token.slice(1))).join('').replace(/[{}]/g, '');
  const letter = (token) => (/^[A-Za-z]$/.test(token ?? '') ? token : kGreek[token] ? `\\${kGreek[token]}` : kLetters.has(token?.slice(1)) ? token : '');
  while (at < tokens.length) {
    const token = tokens[at++], name = token.startsWith('\\') ? token.slice(1).replace('*', '') : '';
    let base = letter(token), optional = false;
    if (kSkipped.includes(name)) argument();
    else if (kNames.includes(name)) (base = plain(argument()).trim()), (optional = true);
    else if (kOperators.includes(name)) (base = token), (optional = true);
    else if (kAccents.includes(name)) {
      const inner = argument(), [only] = inner;
      base = inner.length === 1 && letter(only) ? `\\${name}{${letter(only)}}` : '';
      if (!base) found.push(...symbolsOf(inner.join(' ')));
    }
    if (!base) continue;
    const symbol = { base, sub: '', sup: '', within: { sub: [], sup: [] }, optional };
    while (tokens[at] === '_' || tokens[at] === '^' || tokens[at] === "'") {
      if (tokens[at] === "'") { ++at; continue; }
      const which = tokens[at++] === '_' ? 'sub' : 'sup', inside = argument();
      symbol[which] = plain(inside);
      symbol.within[which] = which === 'sup' && symbol.sup === 'T' ? [{ base: '^T', sub: '', sup: '', within: { sub: [], sup: [] }, optional: true }] : symbolsOf(inside.join(' '));
    }
    found.push(symbol);
  }
  return found;
}

/** What a symbol may be entered as, the most particular first; `rest`: the symbols of the scripts that the entry does not speak of. */
export function entriesFor({ base, sub, sup, within }) {
  const entries = [{ key: base, rest: [...within.sub, ...within.sup] }];
  if (sup) entries.unshift({ key: `${base}^${sup}`, rest: within.sub });
  if (sub) entries.unshift({ key: `${base}_${sub}`, rest: within.sup });
  if (sub && sup) entries.unshift({ key: `${base}_${sub}^${sup}`, rest: [] });
  return entries;
}

/** The key of an entry's own formula. */
export function keyOf(tex) {
  const symbols = symbolsOf(tex);
  const { base, sub, sup } = symbols[0] ?? {};
  if (symbols.length !== 1 && !(symbols.length && symbols.slice(1).every(({ optional }) => optional))) throw new Error(`$${tex}$ is not one symbol`);
  return base + (sub ? `_${sub}` : '') + (sup && sup !== 'T' ? `^${sup}` : '');
}
