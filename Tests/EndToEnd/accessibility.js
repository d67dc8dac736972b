// What a page must have so that everybody can read it, after the rules of WCAG 2.2 that a program can check.
// Gives a list of sentences, one for each thing that is wrong.
(() => {
  const wrong = [];
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const name = (element) => {
    const id = element.id ? '#' + element.id : '';
    const text = (element.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 40);
    return element.tagName.toLowerCase() + id + (text ? ' "' + text + '"' : '');
  };

  // 3.1.1 and 2.4.2: the language and the title.
  if (!document.documentElement.lang) wrong.push('the page has no language');
  if (!document.title.trim()) wrong.push('the page has no title');

  // 1.4.4: nobody is kept from enlarging.
  const viewport = document.querySelector('meta[name=viewport]');
  if (!viewport) wrong.push('there is no viewport');
  else if (/user-scalable\s*=\s*no|maximum-scale/.test(viewport.content)) wrong.push('the page cannot be enlarged');

  // 1.3.1 and 2.4.1: landmarks; all text is in one of them.
  if (all('main').length !== 1) wrong.push(all('main').length + ' elements main instead of one');
  for (const nav of all('nav')) {
    if (all('nav').length > 1 && !nav.ariaLabel && !nav.getAttribute('aria-labelledby')) wrong.push(name(nav) + ' has no name');
  }
  for (const child of document.body.children) {
    if (['HEADER', 'NAV', 'MAIN', 'FOOTER', 'SCRIPT'].includes(child.tagName) || child.classList.contains('skip')) continue;
    wrong.push(name(child) + ' is outside all landmarks');
  }

  // 1.3.1: headings.
  const headings = all('h1, h2, h3, h4, h5, h6');
  if (all('h1').length !== 1) wrong.push(all('h1').length + ' headings of the first level');
  let level = 0;
  for (const heading of headings) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) wrong.push(name(heading) + ' skips a level');
    if (!heading.textContent.trim()) wrong.push('an empty heading');
    level = next;
  }

  // 4.1.1 of WCAG 2.1, and what points somewhere.
  const ids = new Set();
  for (const element of all('[id]')) {
    if (ids.has(element.id)) wrong.push('two elements with the id ' + element.id);
    ids.add(element.id);
  }
  for (const attribute of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls']) {
    for (const element of all('[' + attribute + ']')) {
      for (const id of element.getAttribute(attribute).split(/\s+/)) {
        if (!ids.has(id)) wrong.push(name(element) + ' refers to ' + id + ', which is not there');
      }
    }
  }
  for (const link of all('a[href^="#"]')) {
    if (!ids.has(decodeURIComponent(link.getAttribute('href').slice(1)))) wrong.push(name(link) + ' leads nowhere');
  }

  // 1.3.1: tables.
  for (const table of all('table')) {
    for (const head of all('th', table)) if (!head.scope) wrong.push(name(head) + ' does not say what it is the head of');
    if (!table.querySelector('th')) wrong.push('a table has no head');
    const columns = table.rows[0].cells.length;
    for (const row of table.rows) if (row.cells.length !== columns) wrong.push('a row of a table has other columns');
  }
  for (const list of all('ul, ol')) {
    for (const child of list.children) if (child.tagName !== 'LI') wrong.push(name(child) + ' is in a list and no item');
  }

  // 1.1.1: pictures.
  for (const picture of all('svg')) {
    const isHidden = picture.closest('[aria-hidden=true]');
    if (!isHidden && !(picture.getAttribute('role') === 'img' && picture.getAttribute('aria-label'))) wrong.push('a picture has no name');
  }
  for (const image of all('img')) if (!image.hasAttribute('alt')) wrong.push('an image has no alternative');

  // 4.1.2: names of what can be used. 3.3.2: labels.
  for (const element of all('a[href], button, summary')) {
    if (element.hidden) continue;
    const words = (element.ariaLabel || element.innerText || '').trim();
    const picture = element.querySelector('[aria-label]');
    if (!words && !picture) wrong.push(name(element) + ' has no name');
  }
  for (const input of all('input, select, textarea')) {
    if (input.type === 'hidden') continue;
    if (!input.labels.length && !input.ariaLabel && !input.getAttribute('aria-labelledby')) wrong.push('a field has no label');
  }
  const roles = ['region', 'status', 'img', 'alert', 'list', 'listitem', 'group', 'note'];
  for (const element of all('[role]')) {
    const role = element.getAttribute('role');
    if (!roles.includes(role)) wrong.push(name(element) + ' has the role ' + role);
    if (role === 'region' && !element.ariaLabel && !element.getAttribute('aria-labelledby')) wrong.push('a region has no name');
  }

  // 2.1.1: what scrolls can be scrolled with keys.
  for (const element of all('body *')) {
    const style = getComputedStyle(element);
    const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY)
      && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    if (scrolls && element.tabIndex < 0 && !element.querySelector('a[href], button, input')) wrong.push(name(element) + ' scrolls and cannot be reached');
  }

  // 1.4.3: contrast.
  const parse = (colour) => {
    const canvas = parse.canvas || (parse.canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }));
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { red, green, blue, alpha: alpha / 255 };
  };
  const over = (top, bottom) => {
    const mix = (one, other) => one * top.alpha + other * (1 - top.alpha);
    return { red: mix(top.red, bottom.red), green: mix(top.green, bottom.green), blue: mix(top.blue, bottom.blue), alpha: 1 };
  };
  const luminance = ({ red, green, blue }) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  };
  const ratio = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const page = parse(matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#ffffff');
  const ground = (element) => {
    const layers = [];
    for (let node = element; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour.alpha > 0) layers.push(colour);
      if (colour.alpha === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), page);
  };
  // In a picture: the last shape before the text that it lies on.
  const groundOfText = (text) => {
    const box = text.getBBox();
    const inside = all('rect', text.ownerSVGElement).filter((shape) => {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) return false;
      const around = shape.getBBox();
      return around.x <= box.x + 1 && around.x + around.width >= box.x + box.width - 1
        && around.y <= box.y + 4 && around.y + around.height >= box.y + box.height - 4;
    });
    return inside.reduce((below, shape) => {
      const fill = getComputedStyle(shape).fill;
      return fill === 'none' ? below : over(parse(fill), below);
    }, ground(text.ownerSVGElement));
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const told = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('script, style, title, .hidden')) continue;
    const style = getComputedStyle(element);
    const isPicture = element.namespaceURI === 'http://www.w3.org/2000/svg';
    const below = isPicture ? groundOfText(element.closest('text')) : ground(element);
    const colour = over(parse(isPicture ? style.fill : style.color), below);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const found = ratio(colour, below);
    if (found >= least) continue;
    const line = name(element) + ' has a contrast of ' + found.toFixed(2) + ' instead of ' + least;
    if (told.size < 20 && !told.has(line)) wrong.push(line);
    told.add(line);
  }
  return wrong;
})()
