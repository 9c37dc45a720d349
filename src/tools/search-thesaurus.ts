/**
 * How people name things, in the words tools use. `a b > x y`: whoever writes a or b may mean x or y.
 * `a = b`: one may stand for the other. Words are stemmed when read; `_` joins a phrase. General words of
 * the trades that tools serve; no tool, server or product is taken up for its own sake.
 */
export const THESAURUS = `
# spellings and abbreviations
repo = repository
dir = directory = folder
doc = document
docs = documentation
img = image = picture = photo
pic = picture = photo = image
photograph = photo = image
db = database
msg = message
cfg = config = configuration = settings
preference = settings = config
env = environment
js = javascript
ts = typescript
py = python
k8s = kubernetes
pkg = package
lib = library
auth = authentication = login
params = parameter = argument
spec = specification
info = information = details
stats = statistics
num = number
max = maximum
min = minimum
avg = average = mean
calc = calculate
temp = temperature
lang = language
lat = latitude
lon lng > longitude
addr = address
tz = timezone
pdf > document
docx > word document
pptx ppt > powerpoint presentation
xlsx xls > excel sheet
btc > bitcoin crypto
eth > ethereum crypto
usd eur gbp > currency exchange
fx forex > currency exchange rate
ev > electric charging
tld > domain
asn > as
mr pr > pull request merge
url = link = address
uri = url
app = application
ui = interface component
cpu processor > process system
ram > memory process
regex regexp > pattern search
grep > search pattern code
ls > list directory
cat > read file
mkdir > create directory
mv > move file
cp > copy file
rm > delete remove file
ps > list process
kill > terminate process
txt = text
md = markdown
qa > question answer
poi > place nearby
snp > variant
cve > vulnerability security
gpl mit apache > license
pkl > file
ohlc ohlcv > price history
candle candlestick > price history ohlcv
# verbs: get, look, find
show display view see present > get read list
look > search get find
find = search
locate > search find
discover explore browse > search list find
google bing > search web
seek hunt > search find
dig > search find
lookup = search
query = search
retrieve fetch obtain pull grab = get
download = fetch
load = open
open > read get
read = get
check inspect examine > get info validate status
verify confirm > validate check
investigate research > research search plan analyze
study = research trial
tell explain describe > get describe info
learn > get docs info
know > get info
give > get
print > save pdf output
enumerate = list
overview > list summary info
inventory catalogue catalog > list
browse > list search
preview > view show get diff
watch > record session
monitor track follow > status get
# verbs: make
make produce build construct compose prepare > create generate build
create = generate = new = add
generate > create
draw plot paint sketch > generate chart create diagram canvas
visualise visualize illustrate > generate chart diagram
draft = write create
write > create add
jot note scribble > write note
record > save write add create
save store keep archive persist > write save create
remember memorise memorize > create add memory entity write note
start launch begin run > start create execute deploy
run execute > start process evaluate run
boot spin_up > start create
install > add get
set_up setup initialise > init create
put insert place > add insert
append attach > add
include > add
register > create add
schedule plan arrange organise > plan schedule task
invent > generate random
# verbs: change
change alter modify adjust amend revise > update edit set
rename > move rename
swap exchange > replace convert
replace substitute > replace edit
correct fix mend repair > edit update
rewrite reword > edit
rearrange reorder > move shuffle
move relocate transfer > move
copy duplicate clone replicate > copy
merge combine join unite glue concatenate > merge
split divide cut chop separate break > split
convert transform turn translate > convert
switch > checkout switch select
undo revert rollback unstage > reset undo revert delete
restore recover > reset restore
format beautify tidy prettify > format
clean strip sanitise > clean clear
encrypt lock secure > protect password
sign > signature
highlight emphasise > format
# verbs: end
delete erase discard drop throw_away trash > delete remove
remove = delete
wipe empty purge flush > clear delete
stop quit end abort halt cancel > stop terminate kill end close
hang hung freeze frozen stuck unresponsive > process kill terminate
close shut > close end
forget > delete memory
finish complete > done complete finish
tick done > mark done complete
# verbs: other
compare contrast versus vs > compare diff
difference differ changed > diff compare
count how_many number_of > count list info statistics
calculate compute add_up work_out > calculate
sum total > calculate sum
estimate predict forecast > predict forecast
measure > get size duration
choose pick select decide > select random recommend choice
recommend suggest advise propose > recommend suggest
summarise condense shorten sum_up > summary summarize
translate > convert language
type enter fill_in key_in > fill type
press tap push_button > click press
hit > click get
scroll hover > hover
visit surf go_to browse_to navigate > navigate open
sign_in log_in > login
send post publish submit > send create post
think reason ponder reflect > think sequential thinking
approve accept authorise > approve
shuffle mix mix_up randomise scramble arbitrary > shuffle random
sort order rank > rank sort list
filter narrow > filter search
listen hear > audio load music
play > play move game
`;
