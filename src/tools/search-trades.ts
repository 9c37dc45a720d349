/** The thesaurus of the trades that tools serve, in the form of `search-thesaurus.ts`. */
export const TRADES = `
# files
file = document
path > file
content text_of > read content text
tree structure hierarchy > tree structure
subfolder nested > directory tree
big large size weigh megabyte gigabyte bytes > size info
modified last_changed timestamp when_changed > info metadata time
permission allowed access > allowed
folder > directory
name > name
several many multiple batch > multiple
line > line
# code and version control
commit checkin > commit
staged > staged commit
branch line_of_work > branch
revision history past_changes > log history commit
author who_changed blame > log author
source source_code code_base codebase > code repository
function method class symbol > code search
bug defect error fault problem crash > error log issue
issue ticket > issue
stars popular trending > trending popular
developer programmer coder > developer
version release > version latest release
newest latest recent up_to_date current > latest recent current
dependency depend requirement > dependency deps
outdated deprecated > deprecated version
maintained maintainer abandoned > maintainer activity quality
size_of_package bundle heavy > size
downloads popularity > trends downloads
license licence legal legally > license compatibility
type_definitions typings > types
readme manual handbook guide > readme docs documentation
changelog whats_new release_notes > changelog release
example sample snippet demo usage > example
api reference > docs api documentation
library framework module > library package
container > docker container
compose stack services > compose deploy
terminal shell bash command console_command script > process command start execute
output printed stdout > output logs read
log logs logging > logs
puzzle challenge exercise kata > challenge problem
algorithm coding leetcode > problem
contest competition tournament > contest schedule
profile account > profile user
crash_log > logs error
# web and browser
web internet online net > web search
website site webpage web_page > web page website url
page > page
link hyperlink > link url
html_tags markup tags > html
plain words_only without_tags raw_text > text txt
screenshot screen_capture snapshot capture > screenshot
click > click
form field input_box textbox > fill form input
dropdown combo_box menu > select
upload > upload file
browser chrome firefox tab > browser navigate
console devtools > console logs
javascript_snippet > evaluate
snippet > evaluate script
pop_up dialog > dialog
iframe frame > iframe
back previous > back
reload refresh > renewal update refresh
automated_test test_script > codegen test
robots crawl spider > sitemap crawl
urlset > sitemap
article post story > article story
forum discussion thread community > comment story news
comment reply opinion > comment
headline news press breaking > news
newspaper magazine journal > news
trend trending hot viral buzz > trending rank hot
chart_list ranking top best leaderboard > rank top leaderboard
video clip film footage movie > video
subtitle caption > transcript
transcript spoken said > transcript
youtube > video youtube
music song track tune audio > audio music
tempo bpm beat rhythm > tempo beat
pitch chord key note_pitch > chroma
length how_long lasts > duration
# documents, slides, sheets
chapter heading section outline toc > outline section heading
paragraph > paragraph
footnote endnote > footnote
password > protect password
slide page_of_deck deck slideshow > slide presentation
presentation talk keynote > presentation powerpoint
layout template > template layout
bullet > bullet points
title caption > title
picture_in > picture image add
chart_in > chart add
spreadsheet workbook tab worksheet > excel sheet
cell row column > excel sheet read write
table grid > table
graph = chart
diagram flowchart > diagram mermaid flow
mindmap brainstorm > mind map
timeline > timeline
pie share proportion percentage > pie chart
distribution spread histogram > histogram boxplot distribution
flow stream funnel stages > sankey funnel flow
trend_over_time over_time > line area chart
correlation relation > scatter network graph
radar spider_chart > radar
word_cloud tag_cloud > word cloud
map > map
hierarchy organisation org_chart > treemap organization chart
cause root_cause ishikawa > fishbone
compare_sets overlap > venn
icon symbol pictogram glyph > icon
button > button
animation animated effect glitter sparkle shine typewriter > animation effects text
background wallpaper backdrop > background
component widget building_block control > component
device phone_frame mockup mock > device mock
canvas > canvas drawing
rectangle square box > rectangle
metadata keyword caption tag exif > metadata
# money
stock share equity > stock price ticker
ticker symbol > ticker stock
company firm corporation business > company ticker stock info
quote value worth cost rate > price
price = value
dividend payout pay_out shareholder > dividend
earnings profit income revenue > income earnings financial
balance_sheet cash_flow cashflow financials > financial statement cashflow
analyst expert wall_street buy_or_sell rating > recommendation analyst
insider executive > insider trades
owner holder fund institution institutional > institutional holders
option put_option call_option strike > option
past historic history > history historical
mood sentiment fear greed > fear greed sentiment index
market exchange bourse > market
coin cryptocurrency token crypto > crypto price
bitcoin ethereum > crypto bitcoin price
turnover volume traded > volume market trading
venue > exchange market
gold silver metal precious > price asset gold
currency money convert_money exchange_rate > exchange rate currency
krone dollar euro pound yen > exchange rate currency
sector industry > sector top
etf > fund
capitalisation market_cap > market cap
fundamentals per pbr eps > fundamental
backtest > history historical price
korean_stock kospi kosdaq > stock
# places and time
place location spot where > location place
near nearby around close_to surrounding vicinity > nearby
restaurant cafe bar pub eat shop pharmacy hospital > category places nearby
route way directions drive walk > route directions
commute travel_to_work > commute
school kindergarten > school
parking park_car > parking
charging charger > charging stations
meet midpoint halfway > meeting point
neighborhood quarter district area region live > neighborhood area explore
coordinate latitude longitude gps > geocode coordinates
address street > geocode address
train railway rail > train station tickets
ticket seat fare > tickets
stop halt station > station route
transfer change_trains connection > interline transfer
hotel room apartment flat holiday stay lodging accommodation overnight > listing airbnb search
weather rain sunny snow wind forecast umbrella > weather
climate temperature hot cold degrees > weather temperature
time clock hour o_clock > time current
timezone zone abroad > timezone convert time
date day today calendar > date calendar current
lunar almanac auspicious horoscope zodiac > calendar lunar
destiny fortune birth pillars > bazi
holiday > calendar
tomorrow next_week month > date
upcoming fixture matches next_game play_next > schedule
# knowledge, notes, tasks
encyclopedia encyclopaedia > wikipedia article
topic subject > topic
related similar next_read > related
fact key_points > facts
summary abstract gist > summary
paper preprint publication manuscript > paper article search
scientific science academic scholar > paper article
category categories field > category list
trial clinical_trial study_of > trial
efficacy endpoint side_effect outcome adverse > outcome results
drug medicine treatment disease patient cancer > trial article biomedical
gene mutation variant genome protein > variant
hospital_site recruiting > locations trial
person contact friend colleague relationship > entity relation
fact_about observation > observations
graph_of knowledge brain mind > knowledge graph memory
note memo thoughts diary wiki idea > note
notes = note
wiki > note wikipedia
task todo to_do chore job step > task
goal objective project request > request planning task
next > next
museum artwork painting canvas_art sculpture collection exhibit > museum object
department division gallery > department
recipe cook dish meal dinner lunch food cuisine > recipe meal
hungry eat_tonight what_to_cook menu > recommend meals eat
ingredient allergy vegetarian guest > recipe meals
dataset open_data government public_data statistics > dataset package data search
agency organisation_unit > group organization
# games
chess board > chess board
legal_move possible_move move_options > valid moves
game match > game
champion hero character > champion character
build item equipment gear > item build
player summoner gamer > summoner user
team league esports standings > team standings
skin cosmetic sale > skin
deck comp composition > deck
card > card
relic echo artifact set_bonus > artifact
tier meta > meta tier
dice coin_toss lottery lucky draw_lots > random
# numbers
random chance > random
decimal fraction > float
integer whole_number > int integer
token secret_key api_key salt > token secure hex
secure unguessable cryptographic > secure
arithmetic maths equation formula sum > calculate expression
# network
ip_address host > ip whois
owner provider registrar belongs > whois
domain_name registered expires > whois domain
ownership > whois
base64 encoded > base64
# office, chat, cloud and data
blank = empty
email mail inbox mailbox > email message
appointment meeting invite invitation > calendar event
calendar agenda > event calendar
chat slack dm channel > message channel
reply answer respond > reply comment message
sql statement > query database
schema columns > table describe
pod cluster namespace > kubernetes
bucket blob > storage object
payment invoice charge refund billing > payment invoice
customer client lead deal > contact customer
secret vault credential > secret
rollout ship release_it > deploy release
metric dashboard graph_of_metrics alert incident outage > metrics alert monitor
subscribe newsletter > subscription
member teammate assignee > user member assign
label badge > label
milestone sprint backlog kanban > issue board project
wiki_page confluence knowledge_base > page wiki note
spreadsheet_column > column
bold italic underline font colour color > format text font
ocr scan handwriting > image extract text
parsed object > json
journal periodical > article publication
experiment > trial
mouse cursor pointer > click hover
node_module npm > npm package
java artifact_version > maven version
octocat > github
isolation sandboxed instance > container
how_late what_time > time current
part_of_town suburb > neighborhood area
nested thread_of_replies > tree
encyclopedia_page > wikipedia article
bug_tracker jira > issue
pull_request code_review > pull request review
backup snapshot_of > backup export
export dump > export
import load_in > import
print_out hard_copy > pdf
translate_text > translate
dictionary definition_of meaning_of > define definition word
speech voice read_aloud > audio speech
transcribe dictate > transcript audio
thumbnail cover_picture > image
crop resize rotate > image edit
compress zip unzip archive_of > archive compress
checksum hash digest > hash
uuid guid > random id
qr barcode > code image
ping reachable up_or_down uptime > status check
dns nameserver mx > domain dns
certificate ssl tls > certificate
flight airline plane > flight
bus tram metro subway > station route
visa passport > travel
trip vacation journey itinerary > travel route
taste flavour > recipe
vote poll survey > poll
`;
